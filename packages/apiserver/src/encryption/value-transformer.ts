import type { MaybePromise } from '@coracle/base';

/** Encodes values for the store, and decodes them. */
export interface ValueTransformer {
  /** The prefix of the values that it writes: `k8s:enc:aescbc:v1:key1:`; empty for unencrypted values. */
  readonly prefix: string;
  /**
   * Authenticated with the key's path where the cipher supports it: a value that is moved to another key cannot be
   * decrypted there.
   */
  encrypt(plain: Uint8Array, path: string): MaybePromise<Uint8Array>;
  /** Takes the value without the prefix. Throws if the value was modified. */
  decrypt(cipher: Uint8Array, path: string): MaybePromise<Uint8Array>;
}

const marker = new TextEncoder().encode('k8s:enc:');

export function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  return value.length >= prefix.length && prefix.every((byte, i) => value[i] === byte);
}

/** Whether the value is encrypted, by any provider. */
function isEncrypted(value: Uint8Array): boolean {
  return startsWith(value, marker);
}

/** Writes values as they are. */
export const identity: ValueTransformer = {
  prefix: '',
  encrypt: (plain) => plain,
  decrypt: (cipher) => {
    if (isEncrypted(cipher)) throw new Error('identity transformer tried to read encrypted data');
    return cipher;
  },
};

/** The first transformer writes; each reads the values with its prefix. */
export class TransformerChain {
  readonly #transformers: readonly { readonly transformer: ValueTransformer; readonly prefix: Uint8Array }[];
  readonly writer: ValueTransformer;

  constructor(transformers: readonly ValueTransformer[]) {
    const [first] = transformers;
    if (!first) throw new Error('no encryption provider');
    this.writer = first;
    const encoder = new TextEncoder();
    this.#transformers = transformers.map((transformer) => ({
      transformer,
      prefix: encoder.encode(transformer.prefix),
    }));
  }

  /** The provider that wrote a value, and the value without its prefix. */
  readerOf(value: Uint8Array, path: string): { readonly transformer: ValueTransformer; readonly cipher: Uint8Array } {
    for (const { transformer, prefix } of this.#transformers) {
      const isOwn = prefix.length === 0 ? !isEncrypted(value) : startsWith(value, prefix);
      if (isOwn) return { transformer, cipher: value.subarray(prefix.length) };
    }
    const end = value.indexOf(58, value.indexOf(58, 8) + 1);
    const shown = isEncrypted(value) ? new TextDecoder().decode(value.subarray(0, Math.max(end, 8))) : 'no encryption';
    throw new Error(`no matching prefix found: ${path} was written with ${shown}, which no provider reads`);
  }
}
