import { readFile } from 'node:fs/promises';
import { type Clock, deepEqual, every, type Logger, type Millis } from '@coracle/base';
import type { ClusterPki, HttpServer, NamedCertificate, ServedTls } from '@coracle/platform-nodejs';

/**
 * Files with a certificate for clients that request one of these names; for those in the certificate if there are none.
 */
export interface NamedCertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** Files that replace the cluster's own serving certificate. */
export interface CertificateFiles {
  /** The server's certificate, with those that it is signed by, and its key. */
  readonly serving?: { readonly certificate: string; readonly key: string };
  readonly named?: readonly NamedCertificateFiles[];
  /** CA bundle that verifies client certificates beside the cluster CA. */
  readonly clientCa?: string;
  /** CA bundle that verifies certificates of authenticating proxies. */
  readonly proxyCa?: string;
}

export interface ServingTls {
  readonly certificate: string;
  readonly key: string;
  /** CA bundle that verifies client certificates. */
  readonly clientCa: string;
  /** CAs of accepted client certificates: these, and those of proxies. */
  readonly trusted: string;
  readonly named: readonly NamedCertificate[];
}

/** The same as the HTTP server takes it. */
export function servedTls({ certificate, key, trusted, named }: ServingTls): ServedTls {
  return { certificate, key, clientCa: trusted, named };
}

export interface ServingCertificatesOptions {
  readonly files: CertificateFiles;
  /** Reads the cluster's own keys; renews those that expire soon. */
  openPki(): Promise<ClusterPki>;
  /** Called with the current keys whenever they have been read again. */
  onRead?(pki: ClusterPki, tls: ServingTls): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Files may be replaced at any time by another tool; own certificates are valid for months. */
const filesCheckMs: Millis = 60_000;
const ownCheckMs: Millis = 3_600_000;

/** The current serving certificate and client CAs. */
export async function readServingTls(files: CertificateFiles, pki: ClusterPki): Promise<ServingTls> {
  const [clientCa, proxyCa, certificate, key] = await Promise.all([
    files.clientCa === undefined ? '' : readFile(files.clientCa, 'utf8'),
    files.proxyCa === undefined ? '' : readFile(files.proxyCa, 'utf8'),
    files.serving ? readFile(files.serving.certificate, 'utf8') : pki.server.certificate,
    files.serving ? readFile(files.serving.key, 'utf8') : pki.server.key,
  ]);
  const named = await Promise.all((files.named ?? []).map(readNamed));
  const clients = pki.ca.certificate + clientCa;
  return { certificate, key, clientCa: clients, trusted: clients + proxyCa, named };
}

/** The texts of the files. */
export async function readNamed({ certificate, key, names }: NamedCertificateFiles): Promise<NamedCertificate> {
  const [certificateText, keyText] = await Promise.all([readFile(certificate, 'utf8'), readFile(key, 'utf8')]);
  return { certificate: certificateText, key: keyText, names };
}

/** Passes new certificates to the server before the old ones expire, or when their files are replaced. */
export function keepCertificatesCurrent(
  http: Pick<HttpServer, 'setCertificates'>,
  first: ServingTls,
  options: ServingCertificatesOptions,
): Disposable {
  const { files, clock, logger } = options;
  let shown = first;
  const look = async () => {
    const pki = await options.openPki();
    const next = await readServingTls(files, pki);
    await options.onRead?.(pki, next);
    if (deepEqual(next, shown)) return;
    http.setCertificates(servedTls(next));
    shown = next;
    logger.info('new certificates are in use');
  };
  const hasFiles = Object.keys(files).length > 0;
  return every(clock, hasFiles ? filesCheckMs : ownCheckMs, () => {
    look().catch((error: unknown) =>
      logger.error('failed to renew certificates; the previous ones stay in use', { error }),
    );
  });
}
