import type { KubeObject } from '@coracle/apimachinery';
import type { KeyValue, Revision } from '@coracle/store';
import type { ObjectFormat } from './object-format.js';

interface Parts {
  readonly key: string;
  readonly format: ObjectFormat;
  readonly value?: Uint8Array;
  readonly foreign?: Uint8Array;
  readonly revision: Revision;
  readonly object?: KubeObject;
}

/**
 * One version of one object: what the store has, what it says, and the bytes that clients are sent. Each of them is
 * made when it is first asked for and then kept, so that an object is encoded and decoded once, however many read it.
 */
export class StoredObject {
  readonly key: string;
  readonly format: ObjectFormat;
  /** Zero until the store has taken it. */
  #revision: Revision;
  /** As stored: without a resourceVersion. Absent while `#bytes` is there, which says the same. */
  #value: Uint8Array | undefined;
  /** As another program, or another encoding, has it: what stands here instead of `#value` until somebody asks. */
  #foreign: Uint8Array | undefined;
  #bytes: Uint8Array | undefined;
  #object: KubeObject | undefined;
  /** Other forms that clients asked for, by the name of the form. */
  #forms: Map<string, unknown> | undefined;

  private constructor(parts: Parts) {
    this.key = parts.key;
    this.format = parts.format;
    this.#value = parts.value;
    this.#foreign = parts.foreign;
    this.#revision = parts.revision;
    this.#object = parts.object;
  }

  /** An object on its way to the store. It belongs to this from now on: nobody changes it any more. */
  static fromObject(key: string, format: ObjectFormat, object: KubeObject): StoredObject {
    return new StoredObject({ key, format, value: format.encode(object), revision: 0, object });
  }

  /** What stands in the store. A value that was written in this process is not decoded again. */
  static fromKeyValue(keyValue: KeyValue, format: ObjectFormat): StoredObject {
    const { key, value, modRevision, decoded } = keyValue;
    if (decoded instanceof StoredObject) {
      decoded.settle(modRevision);
      return decoded;
    }
    if (format.isCanonical(value)) return new StoredObject({ key, format, value, revision: modRevision });
    return new StoredObject({ key, format, foreign: value, revision: modRevision });
  }

  /** The store has taken it under `revision`. */
  settle(revision: Revision): void {
    if (this.#revision !== 0) return;
    this.#revision = revision;
    if (this.#object) this.#share(this.#object);
  }

  /** The same content under a later revision: how a deleted object is told. */
  atRevision(revision: Revision): StoredObject {
    const { key, format, value } = this;
    const object = this.#object && { ...this.#object, metadata: { ...this.#object.metadata } };
    const stored = new StoredObject({ key, format, value, revision: 0, ...(object && { object }) });
    stored.settle(revision);
    return stored;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get value(): Uint8Array {
    if (this.#foreign) this.#translate(this.#foreign);
    return this.#value ?? this.format.withoutRevision(this.#bytes as Uint8Array, this.#revision);
  }

  /** About how many bytes it takes, whatever form it is in. */
  get size(): number {
    return (this.#value ?? this.#bytes ?? this.#foreign)?.length ?? 0;
  }

  /** Shared: never to be changed. */
  get object(): KubeObject {
    if (this.#foreign) this.#translate(this.#foreign);
    if (!this.#object) {
      this.#object = this.format.decode(this.value);
      if (this.#revision !== 0) this.#share(this.#object);
    }
    return this.#object;
  }

  /** JSON with the resourceVersion, if it has one: what was only tried out has none. */
  get bytes(): Uint8Array {
    if (this.#revision === 0) return this.value;
    if (!this.#bytes) {
      this.#bytes = this.format.withRevision(this.value, this.#revision);
      this.#value = undefined;
    }
    return this.#bytes;
  }

  /** Another form of it, made once for all who ask. */
  form<T>(name: string, make: () => T): T {
    this.#forms ??= new Map();
    if (!this.#forms.has(name)) this.#forms.set(name, make());
    return this.#forms.get(name) as T;
  }

  /** Forgets all that can be made again: few will ask for it any more. */
  shrink(): void {
    this.#value = this.value;
    this.#bytes = undefined;
    this.#object = undefined;
    this.#forms = undefined;
  }

  #translate(foreign: Uint8Array): void {
    this.#foreign = undefined;
    const object = this.format.decode(foreign);
    this.#value = this.format.encode(object);
    this.#object = object;
    if (this.#revision !== 0) this.#share(object);
  }

  #share(object: KubeObject): void {
    object.metadata.resourceVersion = String(this.#revision);
    this.format.onShare?.(object);
  }
}
