import { webcrypto } from 'node:crypto';
import { forLibrary, library } from './certificates.js';

export interface SigningRequest {
  /** PKCS #10 as PEM. */
  readonly request: string;
  /** The private key as PEM. */
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new key, and a request for a certificate of it. */
export async function createSigningRequest(
  commonName: string,
  organizations: readonly string[],
): Promise<SigningRequest> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const name = new x509.Name([...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: name.toString(),
    keys: forLibrary(keys),
    signingAlgorithm: algorithm,
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { request: `${request.toString('pem')}\n`, key };
}
