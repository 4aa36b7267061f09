import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AuthenticationInfo, RequestHeaderOptions } from '@coracle/apiserver';
import type { ClusterPki } from '@coracle/platform-nodejs';

/** The flags `--requestheader-*` of kube-apiserver. */
export interface RequestHeaderFiles {
  /** The file with the authorities that vouch for proxies. */
  readonly clientCa: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** What the server needs to know of proxies, and what it tells others of them. */
export async function readRequestHeader(
  files: RequestHeaderFiles,
  { pki, clientCaFile }: { readonly pki: ClusterPki; readonly clientCaFile?: string | undefined },
): Promise<{
  readonly options: RequestHeaderOptions;
  readonly info: NonNullable<AuthenticationInfo['requestHeader']>;
}> {
  const clientCa = await readFile(files.clientCa, 'utf8');
  const authorities = fingerprintsOf(clientCa);
  if (authorities.length === 0) throw new Error(`${files.clientCa} holds no certificate`);
  const clients = clientCaFile === undefined ? '' : await readFile(clientCaFile, 'utf8');
  const own = fingerprintsOf(pki.ca.certificate + clients);
  return {
    options: { ...files, authorities, vouchForClients: authorities.every((one) => own.includes(one)) },
    info: { ...files, clientCa },
  };
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function fingerprintsOf(pem: string): string[] {
  const blocks = pem.match(pemBlock) ?? [];
  return blocks.map((block) => new X509Certificate(block).fingerprint256.replaceAll(':', '').toLowerCase());
}
