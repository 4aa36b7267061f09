import { type ConfigMap, refs } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { Needs } from '../server-parts.js';
import { ensureObjects } from './bootstrap-objects.js';

/** How extension API servers verify requests that this server proxies, and direct requests. */
export interface AuthenticationInfo {
  /** CA bundle that verifies client certificates, as PEM. */
  readonly clientCa?: string | undefined;
  readonly requestHeader?: {
    readonly clientCa: string;
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly uidHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraHeaderPrefixes: readonly string[];
  };
}

const metadata = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/**
 * SERVE-16: publishes it in a config map that all authenticated users may read. Authorities that other servers have
 * published are kept.
 */
export async function publishAuthenticationInfo(
  parts: Needs<'objects' | 'writer'>,
  info: AuthenticationInfo,
): Promise<void> {
  const current = parts.objects.get(refs.configMaps, metadata.namespace, metadata.name);
  if (current && deepEqual(current.data ?? {}, dataOf(info, current))) return;
  if (!current) {
    await ensureObjects(parts, [
      { ref: refs.configMaps, object: { metadata, data: dataOf(info, undefined) } as ConfigMap },
    ]);
    return;
  }
  await parts.writer.update(refs.configMaps, metadata.namespace, metadata.name, (latest) => ({
    ...latest,
    data: dataOf(info, latest),
  }));
}

function dataOf(
  { clientCa, requestHeader }: AuthenticationInfo,
  current: ConfigMap | undefined,
): Record<string, string> {
  const currentData = current?.data ?? {};
  const data = { ...currentData };
  if (clientCa) data['client-ca-file'] = joined(clientCa, currentData['client-ca-file']);
  if (!requestHeader) return data;
  const list = (values: readonly string[]) => JSON.stringify(values);
  return {
    ...data,
    'requestheader-client-ca-file': joined(requestHeader.clientCa, currentData['requestheader-client-ca-file']),
    'requestheader-allowed-names': list(requestHeader.allowedNames),
    'requestheader-username-headers': list(requestHeader.usernameHeaders),
    'requestheader-uid-headers': list(requestHeader.uidHeaders),
    'requestheader-group-headers': list(requestHeader.groupHeaders),
    'requestheader-extra-headers-prefix': list(requestHeader.extraHeaderPrefixes),
  };
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Each certificate once, those that were there first. */
function joined(own: string, others = ''): string {
  const blocks = [...(others.match(pemBlock) ?? []), ...(own.match(pemBlock) ?? [])];
  return [...new Set(blocks)].map((block) => `${block}\n`).join('');
}
