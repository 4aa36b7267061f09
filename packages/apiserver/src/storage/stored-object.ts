import type { KubeObject } from '@coracle/apimachinery';
import { addFields } from '@coracle/base';
import { type KeyValue, type Revision, ValueCompression } from '@coracle/store';
import type { ObjectFormat } from './object-format.js';

/**
 * What the bytes of an object are: `stored`, as this server stores it, without a resourceVersion; `sent`, the same with
 * its resourceVersion, as clients get it; `packed`, `stored` and compressed; `foreign`, as another program or another
 * encoding has it, until it is read, or in another version than that of the format, for good.
 */
type Form = 'stored' | 'sent' | 'packed' | 'foreign';

const encoder = new TextEncoder();
const packing = new ValueCompression({ from: 0, dictionary: new Uint8Array(0) });

interface Content {
  readonly form: Form;
  readonly bytes: Uint8Array;
}

interface Parts {
  readonly key: string;
  readonly format: ObjectFormat;
  readonly content: Content;
  readonly revision: Revision;
  readonly object?: KubeObject;
}

/**
 * One version of one object: its stored bytes, its value, and the bytes that clients get. Each is computed when it is
 * first needed and then kept, so that an object is encoded and decoded once, however many clients read it.
 */
export class StoredObject {
  readonly key: string;
  readonly format: ObjectFormat;
  /** Zero until the store has taken it. */
  #revision: Revision;
  /**
   * In one form at a time, that which was requested last, or packed; two fields and no object of their own, for there
   * are many.
   */
  #form: Form;
  #content: Uint8Array;
  #object: KubeObject | undefined;
  /** Other forms that clients requested, by the name of the form. */
  #forms: Map<string, unknown> | undefined;

  private constructor(parts: Parts) {
    this.key = parts.key;
    this.format = parts.format;
    this.#form = parts.content.form;
    this.#content = parts.content.bytes;
    this.#revision = parts.revision;
    this.#object = parts.object;
  }

  /** An object that is being written. It takes ownership: the caller must not change the object any more. */
  static fromObject(key: string, format: ObjectFormat, object: KubeObject): StoredObject {
    const content: Content = { form: 'stored', bytes: format.encode(object) };
    return new StoredObject({ key, format, content, revision: 0, object });
  }

  /** A value from the store. A value that this process wrote in this format is not decoded again. */
  static fromKeyValue(keyValue: KeyValue, format: ObjectFormat): StoredObject {
    const { key, value, modRevision, decoded } = keyValue;
    if (decoded instanceof StoredObject && decoded.format === format) {
      decoded.settle(modRevision);
      return decoded;
    }
    const content: Content = { form: format.isCanonical(value) ? 'stored' : 'foreign', bytes: value };
    return new StoredObject({ key, format, content, revision: modRevision });
  }

  /** The store has taken it under `revision`. */
  settle(revision: Revision): void {
    if (this.#revision !== 0) return;
    this.#revision = revision;
    if (this.#object) this.#share(this.#object);
  }

  /** The same content under a later revision: the object of a deletion, made once for its response and its event. */
  atRevision(revision: Revision): StoredObject {
    return this.form(`revision ${revision}`, () => this.#copyAt(revision));
  }

  #copyAt(revision: Revision): StoredObject {
    const { key, format } = this;
    const object = this.#object && addFields(this.#object, { metadata: addFields(this.#object.metadata, {}) });
    const content: Content =
      this.#form === 'sent'
        ? { form: 'sent', bytes: format.moveRevision(this.#content, this.#revision, revision) }
        : { bytes: this.value, form: this.#form === 'foreign' ? 'foreign' : 'stored' };
    const stored = new StoredObject({ key, format, content, revision: 0, ...(object && { object }) });
    stored.settle(revision);
    return stored;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get value(): Uint8Array {
    if (this.#form === 'foreign') this.#translate();
    if (this.#form === 'stored' || this.#form === 'foreign') return this.#content;
    if (this.#form === 'packed') return packing.decode(this.#content);
    return this.format.withoutRevision(this.#content, this.#revision);
  }

  /** About how many bytes it has, whatever form it is in: a packed one takes less. */
  get size(): number {
    return this.#form === 'packed' ? packing.decodedLength(this.#content) : this.#content.length;
  }

  /** Shared: never to be changed. */
  get object(): KubeObject {
    if (this.#form === 'foreign') this.#translate();
    if (!this.#object) {
      this.#object = this.format.decode(this.value);
      if (this.#revision !== 0) this.#share(this.#object);
    }
    return this.#object;
  }

  /** The same for a caller that reads it once: the decoded value is not kept. */
  glance(): KubeObject {
    if (this.#object || this.#form === 'foreign') return this.object;
    const object = this.format.decode(this.value);
    if (this.#revision !== 0) this.#share(object);
    return object;
  }

  /** JSON with the resourceVersion, if it has one: what was only tried out has none. */
  get bytes(): Uint8Array {
    if (this.#revision === 0) return this.value;
    if (this.#form === 'packed') return this.format.withRevision(this.value, this.#revision);
    if (this.#form === 'foreign') this.#translate();
    if (this.#form === 'foreign') return encoder.encode(JSON.stringify(this.object));
    if (this.#form !== 'sent') this.#become('sent', this.format.withRevision(this.value, this.#revision));
    return this.#content;
  }

  /** Another form of it, encoded once and shared. */
  form<T>(name: string, make: () => T): T {
    this.#forms ??= new Map();
    let form = this.#forms.get(name);
    if (form === undefined) {
      form = make();
      this.#forms.set(name, form);
    }
    return form as T;
  }

  /** Drops all that can be derived again; it is rarely needed from now on. The bytes stay in their form. */
  shrink(): void {
    this.#object = undefined;
    this.#forms = undefined;
  }

  /** Shrinks it, and compresses what is left until it is changed: for what is large and seldom read. */
  pack(): void {
    if (this.#form === 'foreign') this.#translate();
    if (this.#form !== 'packed' && this.#form !== 'foreign') this.#become('packed', packing.encode(this.value).slice());
    this.shrink();
  }

  #become(form: Form, content: Uint8Array): void {
    this.#form = form;
    this.#content = content;
  }

  #translate(): void {
    if (this.#object) return;
    const object = this.format.decode(this.#content);
    if (object.apiVersion === this.format.apiVersion) this.#become('stored', this.format.encode(object));
    this.#object = object;
    if (this.#revision !== 0) this.#share(object);
  }

  #share(object: KubeObject): void {
    object.metadata.resourceVersion = String(this.#revision);
    this.format.onShare?.(object);
  }
}
