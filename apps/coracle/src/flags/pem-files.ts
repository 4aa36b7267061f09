import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { NamedCertificateFiles } from '@coracle/cluster';

/** Flags with a bundle of certificates. */
const bundles = [
  'clientCaFile',
  'requestheaderClientCaFile',
  'etcdCafile',
  'oidcCaFile',
  'kubeletCertificateAuthority',
  'rootCaFile',
];

/** Flags with a certificate, and those with its key. */
const pairs: readonly (readonly [certificate: string, key: string])[] = [
  ['tlsCertFile', 'tlsPrivateKeyFile'],
  ['proxyClientCertFile', 'proxyClientKeyFile'],
  ['kubeletClientCertificate', 'kubeletClientKey'],
  ['etcdCertfile', 'etcdKeyfile'],
  ...['', 'KubeApiserverClient', 'KubeletClient', 'KubeletServing', 'LegacyUnknown'].map(
    (signer) => [`clusterSigning${signer}CertFile`, `clusterSigning${signer}KeyFile`] as const,
  ),
];

/** Flags with a private key by itself. */
const keys = ['serviceAccountSigningKeyFile', 'serviceAccountPrivateKeyFile'];

interface FileOfFlag {
  readonly flag: string;
  readonly file: string;
}

/**
 * Checks the files with certificates and keys that flags name. The errors of OpenSSL contain neither the file nor the
 * reason.
 */
export async function checkPemFiles(flags: object): Promise<void> {
  const values = new Map(Object.entries(flags));
  const fileOf = (name: string): FileOfFlag | undefined => {
    const file: unknown = values.get(name);
    return typeof file === 'string' && file !== '' ? { flag: flagOf(name), file } : undefined;
  };
  for (const bundle of bundles.map(fileOf)) if (bundle) await readCertificate(bundle);
  for (const [certificate, key] of pairs) await checkPair(fileOf(certificate), fileOf(key));
  for (const { certificate, key } of (values.get('tlsSniCertKey') ?? []) as readonly NamedCertificateFiles[]) {
    const flag = flagOf('tlsSniCertKey');
    await checkPair({ flag, file: certificate }, { flag, file: key });
  }
  for (const key of keys.map(fileOf)) if (key) await readKey(key);
  const verification = (values.get('serviceAccountKeyFile') ?? []) as readonly string[];
  for (const file of verification) await readPublicKeys({ flag: '--service-account-key-file', file });
}

/** Public or private keys, or certificates, of which there must be one at least. */
async function readPublicKeys(named: FileOfFlag): Promise<void> {
  const blocks = [...(await readText(named)).matchAll(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g)];
  if (blocks.length === 0) throw problem(named, 'there is no key in it');
  for (const [block] of blocks)
    try {
      createPublicKey(block);
    } catch {
      throw problem(named, 'its key is damaged');
    }
}

/** `--tls-cert-file` of `tlsCertFile`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** One without the other is reported where the flags are read. */
async function checkPair(certificate: FileOfFlag | undefined, key: FileOfFlag | undefined): Promise<void> {
  const first = certificate && (await readCertificate(certificate));
  const own = key && (await readKey(key));
  if (first && own && !first.checkPrivateKey(own))
    throw new Error(`${key.flag}: ${key.file} is not the key of ${certificate.file}`);
}

/** The first certificate of a file. */
async function readCertificate(named: FileOfFlag): Promise<X509Certificate> {
  const [block] = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/.exec(await readText(named)) ?? [];
  if (block === undefined) throw problem(named, 'there is no certificate in it');
  try {
    return new X509Certificate(block);
  } catch {
    throw problem(named, 'its certificate is damaged');
  }
}

async function readKey(named: FileOfFlag): Promise<KeyObject> {
  const text = await readText(named);
  const [block] = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?-----END \1-----/.exec(text) ?? [];
  if (block === undefined) throw problem(named, 'there is no private key in it');
  if (block.includes('ENCRYPTED')) throw problem(named, 'its key is encrypted');
  try {
    return createPrivateKey(block);
  } catch {
    throw problem(named, 'its key is damaged');
  }
}

async function readText(named: FileOfFlag): Promise<string> {
  try {
    return await readFile(named.file, 'utf8');
  } catch (error) {
    // This error names no file.
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') throw problem(named, 'it is a directory');
    throw error;
  }
}

function problem({ flag, file }: FileOfFlag, text: string): Error {
  return new Error(`${flag}: unable to load ${JSON.stringify(file)}: ${text}`);
}
