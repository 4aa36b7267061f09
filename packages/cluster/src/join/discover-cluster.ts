import { parseYaml } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import { createClient } from '@coracle/client';
import { createHttpTransport } from '@coracle/platform-nodejs';
import { caCertificateHash } from './bootstrap-token.js';

interface ClusterInfo {
  readonly clusters?: readonly { readonly cluster?: { readonly 'certificate-authority-data'?: string } }[];
}

/** Requests the CA from a server whose certificate cannot be verified yet. The CA must have this hash. Returns PEM. */
export async function discoverCa(server: string, hashes: readonly string[], logger: Logger): Promise<string> {
  const connection = { server, namespace: '', credentials: {}, insecureSkipTlsVerify: true };
  await using transport = await createHttpTransport({ connection, logger, http2: false });
  const client = createClient({ transport, userAgent: 'coracle-join' });
  const { data } = await client.configMaps('kube-public').get('cluster-info');
  const info = parseYaml(new TextEncoder().encode(data?.['kubeconfig'] ?? '')) as ClusterInfo;
  const encoded = info.clusters?.[0]?.cluster?.['certificate-authority-data'];
  if (!encoded) throw new Error(`${server} does not publish its CA certificate: create a token there first`);
  const ca = Buffer.from(encoded, 'base64').toString('utf8');
  const hash = caCertificateHash(ca);
  if (hashes.length > 0 && !hashes.includes(hash))
    throw new Error(
      `cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "${hash}" are pinned`,
    );
  return ca;
}
