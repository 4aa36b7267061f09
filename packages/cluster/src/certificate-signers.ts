import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createCertificateSigner, type KeyPair, ReloadedFile } from '@coracle/platform-nodejs';
import type { ReloadDependencies } from './static-tokens.js';

export type CertificateSigner = ReturnType<typeof createCertificateSigner>;

/** The PEM files of a certificate and of its key. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The names of the cluster's signers. */
export type SignerName =
  | 'kubernetes.io/kubelet-serving'
  | 'kubernetes.io/kube-apiserver-client-kubelet'
  | 'kubernetes.io/kube-apiserver-client'
  | 'kubernetes.io/legacy-unknown';

export type SignerFiles = Readonly<Partial<Record<SignerName, PairFiles>>>;

export async function readPair({ certFile, keyFile }: PairFiles): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { certificate, key };
}

/** Signs with the pair of the files, which are read again when they change. A pair that does not match is not used. */
export async function reloadedSigner(
  files: PairFiles,
  { logger, parts, periodMs }: ReloadDependencies,
): Promise<CertificateSigner> {
  const readMatching = async () => {
    const pair = await readPair(files);
    if (!isPair(pair)) throw new Error(`${files.keyFile} is not the key of ${files.certFile}`);
    return pair;
  };
  let current = await readMatching();
  const apply = async () => {
    current = await readMatching();
  };
  const options = { apply, logger, ...(periodMs !== undefined && { periodMs }) };
  parts.use(new ReloadedFile(files.certFile, current.certificate, options));
  parts.use(new ReloadedFile(files.keyFile, current.key, options));
  return { sign: (order) => createCertificateSigner(current).sign(order) };
}

/** A signer for each pair of files, by the name of the signer. */
export async function reloadedSigners(
  files: SignerFiles,
  deps: ReloadDependencies,
): Promise<Record<string, CertificateSigner>> {
  const signers = Object.entries(files).map(async ([name, pair]) => [name, await reloadedSigner(pair, deps)] as const);
  return Object.fromEntries(await Promise.all(signers));
}

function isPair({ certificate, key }: KeyPair): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
}
