import { webcrypto } from 'node:crypto';
import type { PodKeys } from '@coracle/kubelet';
import { exportKey, forLibrary, library } from './certificates.js';

type Algorithm = webcrypto.RsaHashedKeyGenParams | (webcrypto.EcKeyGenParams & { hash: string }) | { name: string };

const publicExponent = new Uint8Array([1, 0, 1]);
const rsa = { name: 'RSASSA-PKCS1-v1_5', publicExponent, hash: 'SHA-256' };

/** By the names of the API. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  RSA3072: { ...rsa, modulusLength: 3072 },
  RSA4096: { ...rsa, modulusLength: 4096 },
  ECDSAP256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ECDSAP384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ECDSAP521: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  ED25519: { name: 'Ed25519' },
};

/** Keys for certificates of pods, made by Node.js. */
export const podKeys: PodKeys = {
  async generate(keyType) {
    const algorithm = algorithms[keyType];
    if (!algorithm) throw new Error(`unknown key type ${JSON.stringify(keyType)}`);
    const x509 = await library();
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    if (!('privateKey' in keys)) throw new Error(`${keyType} is not a type of key pair`);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      keys: forLibrary(keys),
      signingAlgorithm: algorithm,
    });
    return { key: await exportKey(keys.privateKey), request: new Uint8Array(request.rawData) };
  },
};
