import { ownValue } from '@coracle/base';
import type * as X509 from '@peculiar/x509';
import { forLibrary, library, newSerial } from './certificates.js';
import { issuerOf } from './issuer.js';
import type { KeyPair } from './key-pair.js';

/** Signing interface of the process that holds the CA key. */
export interface SigningOrder {
  /** PKCS #10, as DER. */
  readonly request: Uint8Array;
  /** In the format of the API: `client auth`, `digital signature` … */
  readonly usages: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const subjectAltName = '2.5.29.17';

/** Signs certificate requests with the cluster CA. */
export function createCertificateSigner(authority: KeyPair): { sign(order: SigningOrder): Promise<string> } {
  return { sign: (order) => signRequest(authority, order) };
}

async function signRequest(authority: KeyPair, order: SigningOrder): Promise<string> {
  const x509 = await library();
  const request = new x509.Pkcs10CertificateRequest(new Uint8Array(order.request));
  if (!(await request.verify())) throw new Error('the request is not signed with its own key');
  const issuer = await issuerOf(authority, x509);
  const notAfter = new Date(Math.min(order.notAfter, issuer.notAfter.getTime()));
  const names = request.getExtension(subjectAltName);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: request.subjectName.toJSON(),
    issuer: issuer.name,
    notBefore: new Date(order.notBefore),
    notAfter,
    publicKey: request.publicKey,
    signingKey: forLibrary(issuer.signingKey),
    signingAlgorithm: issuer.signingAlgorithm,
    extensions: [
      ...keyUsages(x509, order.usages),
      ...extendedUsages(x509, order.usages),
      new x509.BasicConstraintsExtension(false, undefined, true),
      issuer.keyIdentifier,
      ...(names ? [names] : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** None without usages: verifiers reject an extension without any. */
function keyUsages(x509: typeof X509, usages: readonly string[]): X509.Extension[] {
  const flags = x509.KeyUsageFlags;
  const byName: Readonly<Record<string, X509.KeyUsageFlags>> = {
    signing: flags.digitalSignature,
    'digital signature': flags.digitalSignature,
    'content commitment': flags.nonRepudiation,
    'key encipherment': flags.keyEncipherment,
    'key agreement': flags.keyAgreement,
    'data encipherment': flags.dataEncipherment,
    'cert sign': flags.keyCertSign,
    'crl sign': flags.cRLSign,
    'encipher only': flags.encipherOnly,
    'decipher only': flags.decipherOnly,
  };
  const flagsSet: number = usages.reduce((sum, usage) => sum | (ownValue(byName, usage) ?? 0), 0);
  return flagsSet === 0 ? [] : [new x509.KeyUsagesExtension(flagsSet as X509.KeyUsageFlags, true)];
}

const extendedUsageIds: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

function extendedUsages(x509: typeof X509, usages: readonly string[]): X509.Extension[] {
  const ids = usages.flatMap((usage) => ownValue(extendedUsageIds, usage) ?? []);
  return ids.length > 0 ? [new x509.ExtendedKeyUsageExtension(ids)] : [];
}
