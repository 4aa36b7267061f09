import { createHash, createPrivateKey, createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import type { SigningKeys, VerificationKey } from '@coracle/control-plane';
import type { ClusterPki } from '@coracle/platform-nodejs';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Keys of service account tokens that are managed outside the cluster, as PEM. */
export interface TokenKeyTexts {
  /** The private key to sign with. */
  readonly signing?: string;
  /** Keys that tokens may be signed with, several to a text, public or private. */
  readonly verification?: readonly string[];
}

/** Keys that sign and verify tokens: the configured ones, otherwise the cluster's own, otherwise a new one. */
export async function tokenKeys(
  { signing, verification = [] }: TokenKeyTexts,
  pki: ClusterPki | undefined,
): Promise<{ readonly signingKeys: SigningKeys; readonly verificationKeys: readonly VerificationKey[] }> {
  const own = signing ?? pki?.serviceAccountKey.privateKey;
  return {
    signingKeys: own === undefined ? await makeSigningKeys() : await readSigningKeys(own),
    verificationKeys: (await Promise.all(verification.map(readVerificationKeys))).flat(),
  };
}

const pemBlock = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g;

async function readVerificationKeys(text: string): Promise<VerificationKey[]> {
  const blocks = [...text.matchAll(pemBlock)].map(([block]) => createPublicKey(block));
  if (blocks.length === 0) throw new Error('a file of service account keys contains no PEM key');
  return await Promise.all(
    blocks.map(async (publicKey) => {
      const { algorithm, imported } = await importPublic(publicKey);
      return { id: keyId(publicKey), algorithm, publicKey: imported };
    }),
  );
}

async function importPublic(key: KeyObject): Promise<{ algorithm: string; imported: webcrypto.CryptoKey }> {
  const isRsa = key.asymmetricKeyType === 'rsa';
  const imported = await webcrypto.subtle.importKey('spki', der(key, 'spki'), isRsa ? rsa : ecdsa, true, ['verify']);
  return { algorithm: isRsa ? 'RS256' : 'ES256', imported };
}

/** The keys in a PEM file: ECDSA on P-256, or RSA. */
async function readSigningKeys(privatePem: string): Promise<SigningKeys> {
  const privateKey = createPrivateKey(privatePem);
  const publicKey = createPublicKey(privateKey);
  const { algorithm, imported } = await importPublic(publicKey);
  const signs = algorithm === 'RS256' ? rsa : ecdsa;
  return {
    id: keyId(publicKey),
    algorithm,
    privateKey: await webcrypto.subtle.importKey('pkcs8', der(privateKey, 'pkcs8'), signs, false, ['sign']),
    publicKey: imported,
  };
}

/** New keys, for a cluster without a data directory. */
async function makeSigningKeys(): Promise<SigningKeys> {
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
