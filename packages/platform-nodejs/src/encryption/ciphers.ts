import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { ValueTransformer } from '@coracle/apiserver';

/** A key of `EncryptionConfiguration`. */
export interface CipherKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

const ivBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const boxNonceBytes = 24;

/** AES in CBC mode with PKCS#7 padding. It does not detect values that were moved to another key. */
export function aescbc({ name, secret }: CipherKey): ValueTransformer {
  const cipherName = `aes-${secret.length * 8}-cbc`;
  return {
    prefix: `k8s:enc:aescbc:v1:${name}:`,
    encrypt: (plain) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(cipherName, secret, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    },
    decrypt: (value) => {
      const cipher = createDecipheriv(cipherName, secret, value.subarray(0, ivBytes));
      return Buffer.concat([cipher.update(value.subarray(ivBytes)), cipher.final()]);
    },
  };
}

export function aesgcm({ name, secret }: CipherKey): ValueTransformer {
  return {
    prefix: `k8s:enc:aesgcm:v1:${name}:`,
    encrypt: (plain, path) => sealGcm(secret, plain, path),
    decrypt: (value, path) => openGcm(secret, value, path),
  };
}

/** Nonce, ciphertext, tag. The path is additional authenticated data. */
function sealGcm(secret: Uint8Array, plain: Uint8Array, path: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(gcmName(secret), secret, nonce).setAAD(Buffer.from(path));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export function openGcm(secret: Uint8Array, value: Uint8Array, path: string): Uint8Array {
  if (value.length < nonceBytes + tagBytes) throw new Error('the stored data was shorter than the required size');
  const cipher = createDecipheriv(gcmName(secret), secret, value.subarray(0, nonceBytes), { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(path)).setAuthTag(value.subarray(-tagBytes));
  return Buffer.concat([cipher.update(value.subarray(nonceBytes, -tagBytes)), cipher.final()]);
}

function gcmName(secret: Uint8Array): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  return `aes-${secret.length * 8}-gcm` as 'aes-256-gcm';
}

const infoBytes = 32;

/** AES-GCM with a key derived for each value, so that one seed serves without limit: 32 bytes of info come first. */
export function sealExtended(seed: Uint8Array, plain: Uint8Array, path: string): Uint8Array {
  const info = randomBytes(infoBytes);
  return Buffer.concat([info, sealGcm(expand(seed, info), plain, path)]);
}

export function openExtended(seed: Uint8Array, value: Uint8Array, path: string): Uint8Array {
  return openGcm(expand(seed, value.subarray(0, infoBytes)), value.subarray(infoBytes), path);
}

/** HKDF-Expand only: the seed is uniform already. One block of HMAC-SHA256 is the whole key. */
function expand(seed: Uint8Array, info: Uint8Array): Uint8Array {
  return createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest();
}

/** XSalsa20 and Poly1305. The library is loaded when a configuration names it. */
export async function secretbox({ name, secret }: CipherKey): Promise<ValueTransformer> {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa.js');
  return {
    prefix: `k8s:enc:secretbox:v1:${name}:`,
    encrypt: (plain) => {
      const nonce = randomBytes(boxNonceBytes);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    decrypt: (value) =>
      xsalsa20poly1305(secret, value.subarray(0, boxNonceBytes)).decrypt(value.subarray(boxNonceBytes)),
  };
}
