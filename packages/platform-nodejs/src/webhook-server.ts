import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import { createAuthority, issueCertificate } from './pki/certificates.js';
import type { KeyPair } from './pki/key-pair.js';

/** Where a server's certificate comes from. It may be another one each time. */
export interface CertificateSource {
  current(): Promise<KeyPair>;
}

export interface ServeWebhooksOptions {
  readonly certificates: CertificateSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** All addresses of this machine unless stated: the API server comes from outside. */
  readonly host?: string;
  /** 9443 unless stated; 0 takes a free one. */
  readonly port?: number;
  /** How often it looks for another certificate. Every minute unless stated. */
  readonly checkEveryMs?: Millis;
  /** Called with the port that it listens on. */
  readonly onListening?: (port: number) => void;
}

/** Reviews carry two objects, each of which may be as large as a request to the API server. */
const maxBodyBytes = 7 * 1024 * 1024;

/** Serves webhooks over HTTPS, and takes a new certificate without a restart. */
export function serveWebhooks(options: ServeWebhooksOptions) {
  return async (exchange: Exchange): Promise<AsyncDisposable> => {
    const { certificates, clock, logger, host = '0.0.0.0', port = 9443, checkEveryMs = 60_000 } = options;
    let pair = await certificates.current();
    // Loaded when webhooks are served: most importers of this module do not.
    const { startHttpServer } = await import('./http/http-server.js');
    const server = await startHttpServer({
      exchange,
      host,
      port,
      tls: { ...pair, clientCa: pair.certificate },
      maxBodyBytes,
      logger,
    });
    options.onListening?.(server.port);
    const renew = async () => {
      const next = await certificates.current();
      if (next.certificate === pair.certificate) return;
      pair = next;
      server.setCertificates(next);
      logger.info('Serving webhooks with a new certificate');
    };
    const timer = every(clock, checkEveryMs, () => {
      renew().catch((error: unknown) => logger.error('The certificate of the webhooks could not be read', { error }));
    });
    return {
      async [Symbol.asyncDispose]() {
        timer[Symbol.dispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  };
}

/** Certificates `tls.crt` and `tls.key` in a directory, which are issued and renewed elsewhere. */
export function certificateFiles(folder: string): CertificateSource {
  return { current: () => readPair(folder, 'tls') };
}

export interface OwnCertificatesOptions {
  /** The directory of the CA and the certificate. */
  readonly folder: string;
  readonly clock: Clock;
  /** Names and addresses by which the webhooks are called: `webhooks.default.svc`. */
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** How long a certificate is good for. 90 days unless stated; it is renewed when a third of that is left. */
  readonly validForMs?: Millis;
}

const dayMs = 24 * 3_600_000;

/** Certificates of a separate CA, whose certificate goes into the webhooks' manifests. */
export interface OwnCertificates extends CertificateSource {
  /** As PEM. It stays the same for ten years. */
  authority(): Promise<string>;
}

export function ownCertificates(options: OwnCertificatesOptions): OwnCertificates {
  const { folder, clock } = options;
  const authority = async (): Promise<KeyPair> => {
    const storedPair = await readPair(folder, 'ca').catch(() => undefined);
    if (storedPair && leftMs(storedPair, clock) > 0) return storedPair;
    return writePair(folder, 'ca', await createAuthority('webhooks', validity(clock, 3650 * dayMs)));
  };
  const certificate = async (): Promise<KeyPair> => {
    const signer = await authority();
    const entry = await readPair(folder, 'tls').catch(() => undefined);
    return entry && isGood(entry, signer, options) ? entry : writePair(folder, 'tls', await issue(signer, options));
  };
  const inTurn = oneAfterTheOther();
  return {
    authority: async () => (await inTurn(authority)).certificate,
    current: () => inTurn(certificate),
  };
}

/** Two at once would each make a certificate, and mix their files. */
function oneAfterTheOther(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}

function isGood(pair: KeyPair, signer: KeyPair, options: OwnCertificatesOptions): boolean {
  const certificate = new X509Certificate(pair.certificate);
  const { clock, dnsNames, ipAddresses = [] } = options;
  return (
    leftMs(pair, clock) > lifetimeMs(options) / 3 &&
    certificate.verify(new X509Certificate(signer.certificate).publicKey) &&
    dnsNames.every((name) => certificate.checkHost(name)) &&
    ipAddresses.every((address) => certificate.checkIP(address))
  );
}

function issue(signer: KeyPair, options: OwnCertificatesOptions): Promise<KeyPair> {
  const { dnsNames, ipAddresses = [], clock } = options;
  return issueCertificate(signer, {
    commonName: dnsNames[0] ?? 'webhooks',
    usage: 'server',
    dnsNames,
    ipAddresses,
    ...validity(clock, lifetimeMs(options)),
  });
}

function lifetimeMs({ validForMs = 90 * dayMs }: OwnCertificatesOptions): Millis {
  return validForMs;
}

/** From a while ago, because clocks differ. */
function validity(clock: Clock, forMs: Millis): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(clock.now() - 3_600_000), notAfter: new Date(clock.now() + forMs) };
}

function leftMs({ certificate }: KeyPair, clock: Clock): Millis {
  return Date.parse(new X509Certificate(certificate).validTo) - clock.now();
}

async function readPair(folder: string, name: string): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([
    readFile(join(folder, `${name}.crt`), 'utf8'),
    readFile(join(folder, `${name}.key`), 'utf8'),
  ]);
  return { certificate, key };
}

/** The key first and each file atomically, so that a certificate is never read without its key. */
async function writePair(folder: string, name: string, pair: KeyPair): Promise<KeyPair> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [file, text] of [
    [`${name}.key`, pair.key],
    [`${name}.crt`, pair.certificate],
  ] as const) {
    const path = join(folder, file);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return pair;
}
