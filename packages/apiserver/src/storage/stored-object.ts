import { type KubeObject, writeJson } from '@coracle/apimachinery';
import { addFields } from '@coracle/base';
import type { KeyValue, Revision } from '@coracle/store';
import type { ObjectFormat } from './object-format.js';
import { type PackedValue, packValue, unpackedLength, unpackValue } from './packed-value.js';

/**
 * The form of the bytes of an object: `stored`, as this server stores it, without a resourceVersion; `sent`, the same
 * with its resourceVersion, as clients get it; `foreign`, of another program or encoding, until it is read, or
 * permanently in another version than that of the format.
 */
type Form = 'stored' | 'sent' | 'foreign';

const encoder = new TextEncoder();

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
 * One version of one object: its stored bytes, its value, and the bytes that clients get. Each is computed on first use
 * and then cached, so that an object is encoded and decoded once, however many clients read it.
 */
export class StoredObject {
  readonly key: string;
  readonly format: ObjectFormat;
  /** Zero until it is stored. */
  #revision: Revision;
  /** The form that was requested last, possibly packed. Two fields instead of an object, because there are many. */
  #form: Form;
  #content: Uint8Array | PackedValue;
  #object: KubeObject | undefined;
  /** Other forms that clients requested, by the name of the form. */
  #forms: Map<string, object> | undefined;

  private constructor(parts: Parts) {
    this.key = parts.key;
    this.format = parts.format;
    this.#form = parts.content.form;
    this.#content = parts.content.bytes;
    this.#revision = parts.revision;
    this.#object = parts.object;
  }

  /** An object to write. Takes ownership: the caller must not change the object any more. */
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

  /** Called when it is stored under `revision`. */
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
        ? { form: 'sent', bytes: format.moveRevision(this.#plain, this.#revision, revision) }
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
    return this.#form === 'sent' ? this.format.withoutRevision(this.#plain, this.#revision) : this.#plain;
  }

  get #isPacked(): boolean {
    return typeof this.#content === 'string';
  }

  get #plain(): Uint8Array {
    return typeof this.#content === 'string' ? unpackValue(this.#content) : this.#content;
  }

  /** Approximate size in bytes, whatever form it is in: a packed one takes less. */
  get size(): number {
    return typeof this.#content === 'string' ? unpackedLength(this.#content) : this.#content.length;
  }

  /** Shared: do not change it. */
  get object(): KubeObject {
    if (this.#form === 'foreign') this.#translate();
    if (this.#object) return this.#object;
    if (this.#isPacked) return this.form('decoded', () => this.#decode());
    this.#object = this.#decode();
    return this.#object;
  }

  #decode(): KubeObject {
    const object = this.format.decode(this.value);
    if (this.#revision !== 0) this.#share(object);
    return object;
  }

  /** The same for a caller that reads it once: the decoded value is not cached. */
  glance(): KubeObject {
    if (this.#object || this.#form === 'foreign') return this.object;
    return this.#decode();
  }

  /** JSON with the resourceVersion, if it has one: the result of a dry run has none. */
  get bytes(): Uint8Array {
    if (this.#revision === 0) return this.value;
    if (this.#form === 'foreign') this.#translate();
    if (this.#form === 'foreign') return encoder.encode(writeJson(this.object));
    if (this.#form === 'stored') this.#become('sent', this.format.withRevision(this.#plain, this.#revision));
    return this.#plain;
  }

  /** Another form of it, encoded once and shared; of a packed object, only as long as it is in use. */
  form<T extends object>(name: string, make: () => T): T {
    this.#forms ??= new Map();
    const madeBefore = this.#forms.get(name);
    const form = madeBefore instanceof WeakRef ? madeBefore.deref() : madeBefore;
    if (form !== undefined) return form as T;
    const made = make();
    this.#forms.set(name, this.#isPacked ? new WeakRef(made) : made);
    return made;
  }

  /** Drops everything that can be computed again, because it is rarely needed from now on. The bytes stay. */
  shrink(): void {
    this.#object = undefined;
    this.#forms = undefined;
  }

  /**
   * Drops what can be computed again, and compresses the bytes until they change: for large objects that are rarely
   * read.
   */
  pack(): void {
    if (this.#form === 'foreign') this.#translate();
    // As sent: clients read it more often than the server does.
    if (this.#form !== 'foreign' && !this.#isPacked) this.#content = packValue(this.bytes);
    this.shrink();
  }

  #become(form: Form, content: Uint8Array): void {
    this.#form = form;
    this.#content = content;
  }

  #translate(): void {
    if (this.#object) return;
    const object = this.format.decode(this.#plain);
    if (object.apiVersion === this.format.apiVersion) this.#become('stored', this.format.encode(object));
    this.#object = object;
    if (this.#revision !== 0) this.#share(object);
  }

  #share(object: KubeObject): void {
    object.metadata.resourceVersion = String(this.#revision);
    this.format.onShare?.(object);
  }
}
