import { readFile } from 'node:fs/promises';
import type { WebhookTarget } from '@coracle/apiserver';
import type { Material } from '@coracle/client';
import { loadConnection } from '../kubeconfig-file.js';

/** Reads the kubeconfig file of a webhook: the address of the service, and the credentials of the server. */
export async function readWebhookTarget(path: string): Promise<WebhookTarget> {
  const { server, certificateAuthority, insecureSkipTlsVerify, credentials } = await loadConnection({ path });
  const { clientCertificate, clientKey, token, tokenFile, basic } = credentials;
  const bearer = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  const [caBundle, certificate, key] = await Promise.all(
    [certificateAuthority, clientCertificate, clientKey].map(textOf),
  );
  return {
    url: server,
    tls: {
      ...(caBundle && { caBundle }),
      ...(insecureSkipTlsVerify && { insecureSkipVerify: true }),
      ...(certificate && { clientCertificate: certificate }),
      ...(key && { clientKey: key }),
    },
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(basic && { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` }),
  };
}

async function textOf(material: Material | undefined): Promise<string | undefined> {
  if (!material) return undefined;
  return 'data' in material ? material.data : await readFile(material.file, 'utf8');
}
