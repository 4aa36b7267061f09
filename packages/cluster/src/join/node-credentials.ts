import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, every, type Logger, messageOf } from '@coracle/base';
import { type Connection, createClient } from '@coracle/client';
import { createHttpTransport, type KeyPair, loadConnection } from '@coracle/platform-nodejs';
import { nodeKubeconfig, writeKubeconfig } from '../kubeconfig.js';
import { requestNodeCertificate } from './request-certificate.js';

/** The directory of the kubelet's credentials. */
export interface NodeCredentials {
  readonly kubeconfigFile: string;
  readonly certDir: string;
}

/** The files of a node that keeps everything in one folder. */
export function credentialsIn(folder: string): NodeCredentials {
  return { kubeconfigFile: join(folder, 'kubelet.conf'), certDir: join(folder, 'pki') };
}

function certificateFile({ certDir }: NodeCredentials): string {
  return join(certDir, 'kubelet-client-current.pem');
}

/** Whether there is a certificate that `rotateCertificate` can replace. */
export function hasNodeCertificate(credentials: NodeCredentials): boolean {
  return existsSync(certificateFile(credentials));
}

/** The bootstrap token of a machine, and the cluster that it joins. */
export interface BootstrapOptions extends NodeCredentials {
  readonly nodeName: string;
  readonly server: string;
  readonly caCertificate: string;
  readonly token: string;
  readonly logger: Logger;
}

/** Gets a certificate with a bootstrap token, and writes a kubeconfig that uses it. */
export async function bootstrapNode(options: BootstrapOptions): Promise<void> {
  const { server, caCertificate, token } = options;
  const connection = { server, namespace: '', certificateAuthority: { data: caCertificate }, credentials: { token } };
  await bootstrapOver(connection, caCertificate, options);
}

/** TLS bootstrap of a machine whose bootstrap token is in a kubeconfig file. */
export interface BootstrapFileOptions extends NodeCredentials {
  readonly nodeName: string;
  readonly bootstrapKubeconfig: string;
  readonly now: number;
  readonly logger: Logger;
}

/**
 * TLS bootstrap: gets a certificate with the credentials of a bootstrap kubeconfig, and writes a kubeconfig that uses
 * it, unless the one that is there can still be used. The bootstrap kubeconfig may be missing then.
 */
export async function bootstrapFromFile(options: BootstrapFileOptions): Promise<void> {
  if (await isUsable(options)) return;
  const connection = await loadConnection({ path: options.bootstrapKubeconfig });
  const { certificateAuthority: ca } = connection;
  const caCertificate = ca ? ('data' in ca ? ca.data : await readFile(ca.file, 'utf8')) : '';
  await bootstrapOver(connection, caCertificate, options);
}

/** Whether a kubeconfig exists whose client certificate, if it has one, has not expired. */
async function isUsable({ kubeconfigFile, now }: BootstrapFileOptions): Promise<boolean> {
  if (!existsSync(kubeconfigFile)) return false;
  try {
    const { clientCertificate: certificate } = (await loadConnection({ path: kubeconfigFile })).credentials;
    if (!certificate) return true;
    const text = 'data' in certificate ? certificate.data : await readFile(certificate.file);
    return Date.parse(new X509Certificate(text).validTo) > now;
  } catch {
    return false;
  }
}

async function bootstrapOver(
  connection: Connection,
  caCertificate: string,
  options: NodeCredentials & { readonly nodeName: string; readonly logger: Logger },
): Promise<void> {
  const { nodeName, logger } = options;
  const { server } = connection;
  await using transport = await createHttpTransport({ connection, logger, http2: false });
  const client = createClient({ transport, userAgent: 'coracle-kubelet' });
  await keep(options, await requestNodeCertificate(client, nodeName));
  const text = nodeKubeconfig({ server, caCertificate, nodeName, certificateFile: certificateFile(options) });
  await writeKubeconfig(options.kubeconfigFile, text);
}

async function keep(credentials: NodeCredentials, { certificate, key }: KeyPair): Promise<void> {
  await writeKubeconfig(certificateFile(credentials), `${certificate}${key}`);
}

const checkMs = 3_600_000;
/** Fraction of its lifetime after which a certificate is renewed. */
const renewAfter = 0.7;

/** Replaces the node's certificate before it ends. New connections use the new one. */
export function rotateCertificate(
  credentials: NodeCredentials & { readonly nodeName: string },
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Disposable {
  return every(clock, checkMs, () => {
    renewIfDue(credentials, clock.now(), logger).catch((error: unknown) =>
      logger.error('The certificate of the node could not be renewed', { error: messageOf(error) }),
    );
  });
}

async function renewIfDue(
  credentials: NodeCredentials & { readonly nodeName: string },
  now: number,
  logger: Logger,
): Promise<void> {
  const current = new X509Certificate(await readFile(certificateFile(credentials)));
  const [from, to] = [Date.parse(current.validFrom), Date.parse(current.validTo)];
  if (now < from + (to - from) * renewAfter) return;
  const connection = await loadConnection({ path: credentials.kubeconfigFile });
  await using transport = await createHttpTransport({ connection, logger, http2: false });
  const client = createClient({ transport, userAgent: 'coracle-kubelet' });
  await keep(credentials, await requestNodeCertificate(client, credentials.nodeName));
}
