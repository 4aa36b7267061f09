import { randomBytes, webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import { issuerOf } from './issuer.js';
import type { KeyPair } from './key-pair.js';

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usage: 'client' | 'server' | 'both';
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** 65537, the usual exponent. */
const publicExponent = new Uint8Array([1, 0, 1]);
const rsa = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent, hash: 'SHA-256' } as const;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Loaded when a certificate has to be created, which is rare: it would double the start time. */
export async function library(): Promise<typeof X509> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(forLibrary(webcrypto));
  return x509;
}

/**
 * The library uses a browser's types for keys. Those of Node.js are the same at run time, but not for the compiler.
 */
export function forLibrary(value: webcrypto.Crypto | webcrypto.CryptoKey | webcrypto.CryptoKeyPair): never {
  return value as never;
}

export async function createAuthority(
  commonName: string,
  { notBefore, notAfter, keyType = 'ecdsa' }: { notBefore: Date; notAfter: Date; keyType?: 'ecdsa' | 'rsa' },
): Promise<KeyPair> {
  const x509 = await library();
  const signingAlgorithm = keyType === 'rsa' ? rsa : algorithm;
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: nameOf(commonName, []),
    notBefore,
    notAfter,
    keys: forLibrary(keys),
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.keyCertSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(forLibrary(keys.publicKey)),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: commonName }]),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** A new key with a certificate signed by `authority`. */
export async function issueCertificate(authority: KeyPair, request: CertificateRequest): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await sign(authority, request, keys.publicKey);
  return { certificate, key: await exportKey(keys.privateKey) };
}

async function sign(authority: KeyPair, request: CertificateRequest, publicKey: webcrypto.CryptoKey): Promise<string> {
  const x509 = await library();
  const issuer = await issuerOf(authority, x509);
  const usages = { client: [x509.ExtendedKeyUsage.clientAuth], server: [x509.ExtendedKeyUsage.serverAuth] };
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: nameOf(request.commonName, request.organizations ?? []),
    issuer: issuer.name,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    publicKey: forLibrary(publicKey),
    signingKey: forLibrary(issuer.signingKey),
    signingAlgorithm: issuer.signingAlgorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension(
        request.usage === 'both' ? [...usages.server, ...usages.client] : usages[request.usage],
      ),
      new x509.BasicConstraintsExtension(false, undefined, true),
      issuer.keyIdentifier,
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Organizations first, then the common name, unescaped: names such as `system:masters` need no escaping here. */
function nameOf(commonName: string, organizations: readonly string[]): X509.JsonName {
  return [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }];
}

/** Positive, and practically unique: 16 random bytes with the sign bit cleared. */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

export async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
