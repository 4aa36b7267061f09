import { randomBytes, randomUUID } from 'node:crypto';
import type { ValueTransformer } from '@coracle/apiserver';
import { RecentMap } from '@coracle/base';
import { decodeMessage, encodeMessage, type Message } from '../etcd/protobuf.js';
import { openExtended, openGcm, sealExtended } from './ciphers.js';
import type { KmsConnection } from './kms-connection.js';

/** The value after the prefix: upstream's `EncryptedObject`. */
const envelope = {
  encryptedData: { number: 1, type: 'bytes' },
  keyId: { number: 2, type: 'text' },
  encryptedDekSource: { number: 3, type: 'bytes' },
  annotations: {
    number: 4,
    type: { key: { number: 1, type: 'text' }, value: { number: 2, type: 'bytes' } },
    repeated: true,
  },
  encryptedDekSourceType: { number: 5, type: 'int' },
} as const;

type Envelope = Message<typeof envelope>;

/** `HKDF_SHA256_XNONCE_AES_GCM_SEED`; 0 is a plain AES-GCM key, as older servers wrote it. */
const seedType = 1;
const statusPeriodMs = 60_000;
const mostSeeds = 1_024;

interface Seed {
  readonly plain: Uint8Array;
  readonly sealed: Uint8Array;
  readonly keyId: string;
  readonly annotations: NonNullable<Envelope['annotations']>;
}

/**
 * Envelope encryption: values are encrypted with keys derived from a seed that a KMS plugin has encrypted. The plugin
 * is called for a new seed when its key has changed, and to decrypt unknown seeds.
 */
export class KmsTransformer implements ValueTransformer {
  readonly prefix: string;
  readonly #kms: KmsConnection;
  readonly #now: () => number;
  readonly #opened = new RecentMap<string, Uint8Array>(mostSeeds);
  #seed: Promise<Seed> | undefined;
  #checkedAt = 0;

  constructor(name: string, kms: KmsConnection, now: () => number = Date.now) {
    this.prefix = `k8s:enc:kms:v2:${name}:`;
    this.#kms = kms;
    this.#now = now;
  }

  /** Fails if the plugin cannot be reached or is unhealthy. */
  async check(): Promise<string> {
    const { version = '', healthz = '', keyId = '' } = await this.#kms.status();
    if (version !== 'v2' && version !== 'v2beta1')
      throw new Error(`kms plugin has version ${JSON.stringify(version)}, not v2`);
    if (healthz !== 'ok') throw new Error(`kms plugin is not healthy: ${healthz}`);
    if (keyId === '' || keyId.length > 1024) throw new Error('kms plugin has no key id');
    return keyId;
  }

  async encrypt(plain: Uint8Array, path: string): Promise<Uint8Array> {
    const { plain: seed, sealed, keyId, annotations } = await this.#currentSeed();
    return encodeMessage(envelope, {
      encryptedData: sealExtended(seed, plain, path),
      keyId,
      encryptedDekSource: sealed,
      annotations,
      encryptedDekSourceType: seedType,
    });
  }

  decrypt(cipher: Uint8Array, path: string): Uint8Array | Promise<Uint8Array> {
    const read = decodeMessage(envelope, cipher);
    const {
      encryptedData = new Uint8Array(),
      encryptedDekSource = new Uint8Array(),
      encryptedDekSourceType = 0,
    } = read;
    const open = (seed: Uint8Array) =>
      encryptedDekSourceType === seedType
        ? openExtended(seed, encryptedData, path)
        : openGcm(seed, encryptedData, path);
    const opened = this.#opened.get(keyOf(encryptedDekSource));
    return opened ? open(opened) : this.#openSeed(read).then(open);
  }

  /** The same seed while the plugin's key is the same. */
  async #currentSeed(): Promise<Seed> {
    const now = this.#now();
    if (this.#seed && now - this.#checkedAt < statusPeriodMs) return await this.#seed;
    const keyId = await this.check();
    this.#checkedAt = now;
    const current = await this.#seed?.catch(() => undefined);
    if (current?.keyId === keyId) return current;
    this.#seed = this.#newSeed();
    this.#seed.catch(() => {
      this.#seed = undefined;
    });
    return await this.#seed;
  }

  async #newSeed(): Promise<Seed> {
    const plain = randomBytes(32);
    const {
      ciphertext = new Uint8Array(),
      keyId = '',
      annotations = [],
    } = await this.#kms.encrypt({
      plaintext: plain,
      uid: randomUUID(),
    });
    if (ciphertext.length === 0 || keyId === '') throw new Error('kms plugin returned no encrypted key');
    this.#opened.set(keyOf(ciphertext), plain);
    return { plain, sealed: ciphertext, keyId, annotations };
  }

  async #openSeed({
    encryptedDekSource = new Uint8Array(),
    keyId = '',
    annotations = [],
  }: Envelope): Promise<Uint8Array> {
    const request = { ciphertext: encryptedDekSource, uid: randomUUID(), keyId, annotations };
    const { plaintext = new Uint8Array() } = await this.#kms.decrypt(request);
    this.#opened.set(keyOf(encryptedDekSource), plaintext);
    return plaintext;
  }
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
