import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@coracle/base';
import { makeDirectory } from '../make-directory.js';
import { type CertificateRequest, createAuthority, issueCertificate } from './certificates.js';
import type { KeyPair } from './key-pair.js';

/** The keys and certificates of one cluster, as files in a directory. */
export interface ClusterPki {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** CA of the proxy client certificate that the server presents to aggregated API servers. */
  readonly frontProxyCa: KeyPair;
  readonly frontProxyClient: KeyPair;
  /** Signs service account tokens (ES256). */
  readonly serviceAccountKey: { readonly privateKey: string; readonly publicKey: string };
}

export interface ClusterPkiOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** The first address of the service range: pods reach the API server there. */
  readonly serviceAddress: string;
  readonly extraAddresses?: readonly string[];
}

const dayMs = 24 * 60 * 60 * 1000;
/** Validity: ten years for CAs and one year for other certificates, as in kubeadm. */
const authorityDays = 3650;
const leafDays = 365;
/** A certificate is renewed at the first start within this time of its expiry. */
const renewBeforeDays = 60;

/**
 * Reads the cluster's keys and certificates, and creates those that are missing, about to expire, or valid for other
 * names.
 */
export async function openClusterPki(options: ClusterPkiOptions): Promise<ClusterPki> {
  await makeDirectory(options.folder, { mode: 0o700 });
  const ca = await readOrMake(options, 'ca', {
    check: isCurrent,
    make: () => createAuthority('kubernetes', validity(options.clock, authorityDays)),
  });
  const serving = servingRequest(options);
  const [server, admin, frontProxy, serviceAccountKey] = await Promise.all([
    readOrMake(options, 'apiserver', {
      check: (pair, now) => isCurrent(pair, now) && signedBy(pair, ca) && coversNames(pair, serving),
      make: () => issueCertificate(ca, serving),
    }),
    readOrMake(options, 'admin', {
      check: (pair, now) => isCurrent(pair, now) && signedBy(pair, ca),
      make: () => issueCertificate(ca, adminRequest(options.clock)),
    }),
    openFrontProxy(options),
    serviceAccountKeys(options.folder),
  ]);
  return { ca, server, admin, ...frontProxy, serviceAccountKey };
}

/** Signed by a separate CA: the cluster CA signs certificates of users, who must not act as authenticating proxies. */
async function openFrontProxy(
  options: ClusterPkiOptions,
): Promise<Pick<ClusterPki, 'frontProxyCa' | 'frontProxyClient'>> {
  const { clock } = options;
  const frontProxyCa = await readOrMake(options, 'front-proxy-ca', {
    check: isCurrent,
    make: () => createAuthority('front-proxy-ca', validity(clock, authorityDays)),
  });
  const frontProxyClient = await readOrMake(options, 'front-proxy-client', {
    check: (pair, now) => isCurrent(pair, now) && signedBy(pair, frontProxyCa),
    make: () =>
      issueCertificate(frontProxyCa, {
        commonName: 'front-proxy-client',
        usage: 'client',
        ...validity(clock, leafDays),
      }),
  });
  return { frontProxyCa, frontProxyClient };
}

function servingRequest({ clock, serviceAddress, extraAddresses = [] }: ClusterPkiOptions): CertificateRequest {
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.replace(/%.*/, '')),
  );
  return {
    commonName: 'kube-apiserver',
    usage: 'server',
    dnsNames: [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ],
    ipAddresses: [...new Set(['127.0.0.1', '::1', serviceAddress, ...own, ...extraAddresses])],
    ...validity(clock, leafDays),
  };
}

function adminRequest(clock: Clock): CertificateRequest {
  return {
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
    usage: 'client',
    ...validity(clock, leafDays),
  };
}

function validity(clock: Clock, days: number): { notBefore: Date; notAfter: Date } {
  const now = clock.now();
  // Backdated a little, for clients whose clock is behind.
  return { notBefore: new Date(now - 5 * 60 * 1000), notAfter: new Date(now + days * dayMs) };
}

interface PairSource {
  /** Whether an existing pair can be used. */
  check(pair: KeyPair, now: number): boolean;
  make(): Promise<KeyPair>;
}

async function readOrMake(options: ClusterPkiOptions, name: string, { check, make }: PairSource): Promise<KeyPair> {
  const files = { certificate: join(options.folder, `${name}.crt`), key: join(options.folder, `${name}.key`) };
  const [certificate, key] = await Promise.all([readIfThere(files.certificate), readIfThere(files.key)]);
  if (certificate && key && check({ certificate, key }, options.clock.now())) return { certificate, key };
  const pair = await make();
  await writeWhole(files.key, pair.key, 0o600);
  await writeWhole(files.certificate, pair.certificate, 0o644);
  return pair;
}

function isCurrent({ certificate }: KeyPair, now: number): boolean {
  return Date.parse(new X509Certificate(certificate).validTo) - now > renewBeforeDays * dayMs;
}

function signedBy({ certificate }: KeyPair, ca: KeyPair): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(ca.certificate).publicKey);
}

function coversNames({ certificate }: KeyPair, { dnsNames = [], ipAddresses = [] }: CertificateRequest): boolean {
  const parsed = new X509Certificate(certificate);
  return dnsNames.every((name) => parsed.checkHost(name)) && ipAddresses.every((address) => parsed.checkIP(address));
}

async function serviceAccountKeys(folder: string): Promise<ClusterPki['serviceAccountKey']> {
  const file = join(folder, 'sa.key');
  const stored = await readIfThere(file);
  if (stored)
    return {
      privateKey: stored,
      publicKey: createPublicKey(createPrivateKey(stored)).export({ type: 'spki', format: 'pem' }).toString(),
    };
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeWhole(file, privateKey, 0o600);
  await writeWhole(join(folder, 'sa.pub'), publicKey, 0o644);
  return { privateKey, publicKey };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Atomic: a crash in between must not leave half a key. */
async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await chmod(`${file}.new`, mode);
  await rename(`${file}.new`, file);
}
