import { createHash, createPrivateKey, createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import type { SigningKeys } from '@coracle/control-plane';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** The keys in a PEM file: ECDSA on P-256, or RSA. */
export async function readSigningKeys(privatePem: string): Promise<SigningKeys> {
  const privateKey = createPrivateKey(privatePem);
  const publicKey = createPublicKey(privateKey);
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const algorithm = isRsa ? rsa : ecdsa;
  return {
    id: keyId(publicKey),
    algorithm: isRsa ? 'RS256' : 'ES256',
    privateKey: await webcrypto.subtle.importKey('pkcs8', der(privateKey, 'pkcs8'), algorithm, false, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', der(publicKey, 'spki'), algorithm, true, ['verify']),
  };
}

/** New keys, for a cluster that keeps nothing. */
export async function makeSigningKeys(): Promise<SigningKeys> {
  const pair = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  return { id: 'in-memory', algorithm: 'ES256', ...pair };
}

/** As the original names keys: a hash of the public one. */
function keyId(publicKey: KeyObject): string {
  return createHash('sha256').update(der(publicKey, 'spki')).digest('base64url');
}

function der(key: KeyObject, type: 'pkcs8' | 'spki'): Buffer {
  return key.export({ type: type as 'spki', format: 'der' }) as Buffer;
}
