import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import type { KeyPair } from './key-pair.js';

export type SigningAlgorithm =
  | { readonly name: 'ECDSA'; readonly namedCurve: string; readonly hash: string }
  | { readonly name: 'RSASSA-PKCS1-v1_5'; readonly hash: string };

/** The issuer fields of all certificates of a CA. */
export interface Issuer {
  /** Encoded as in the authority's own certificate: verifiers compare the bytes. */
  readonly name: X509.Name;
  readonly notAfter: Date;
  readonly signingKey: webcrypto.CryptoKey;
  readonly signingAlgorithm: SigningAlgorithm;
  readonly keyIdentifier: X509.Extension;
}

const curves: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
};

/** Reads a CA, whose key may be RSA or ECDSA, in any of the usual PEM formats. */
export async function issuerOf({ certificate, key }: KeyPair, x509: typeof X509): Promise<Issuer> {
  const own = new x509.X509Certificate(certificate);
  const { signingKey, signingAlgorithm } = await importSigningKey(key);
  return {
    name: own.subjectName,
    notAfter: own.notAfter,
    signingKey,
    signingAlgorithm,
    keyIdentifier: await idOf(own, x509),
  };
}

/** The identifier that the authority's certificate states, however it was computed. */
async function idOf(own: X509.X509Certificate, x509: typeof X509): Promise<X509.Extension> {
  const stated = own.getExtension(x509.SubjectKeyIdentifierExtension);
  if (stated) return new x509.AuthorityKeyIdentifierExtension(stated.keyId);
  return x509.AuthorityKeyIdentifierExtension.create(own.publicKey);
}

async function importSigningKey(pem: string): Promise<Pick<Issuer, 'signingKey' | 'signingAlgorithm'>> {
  const key = createPrivateKey(pem);
  const signingAlgorithm = algorithmOf(key);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return {
    signingAlgorithm,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, signingAlgorithm, true, ['sign']),
  };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const { namedCurve = '' } = asymmetricKeyDetails ?? {};
  const curve = curves[namedCurve];
  if (!curve) throw new Error(`an authority's key must be RSA or ECDSA, not ${namedCurve || type}`);
  return curve;
}
