import { schemaOfKind } from '@coracle/api';
import { decodeKind, isEnvelope, type KubeObject, objectOfKind, readJson, writeJson } from '@coracle/apimachinery';
import { fieldsOf } from '@coracle/base';
import { managedFieldsText } from './managed-fields-text.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface ObjectFormatOptions {
  /** Called with each object before it is shared. Tests freeze them. */
  readonly onShare?: ((value: object) => void) | undefined;
  /** Sets fields that another program has omitted from a value that it wrote. */
  readonly setDefaults?: ((object: KubeObject) => void) | undefined;
  /** The JSON of a spec or a field set, which are immutable and occur in many objects; not cached by default. */
  readonly textOf?: (value: object) => string;
  /** Whether the schema may have new defaults since values were written: then defaults are set on read. */
  readonly setsDefaultsOfAll?: boolean;
  /** Drops fields that the kind no longer has, if fields may have been removed since values were written. */
  readonly prune?: ((object: KubeObject) => KubeObject) | undefined;
  /**
   * Whether objects keep the version in which they were written, for conversion by a webhook: otherwise they get this
   * one.
   */
  readonly keepsVersions?: boolean;
}

/**
 * The encoding of the objects of one kind in the store: JSON that begins with the kind and the metadata, without the
 * resourceVersion, which is unknown before the write. Because the beginning is the same for all objects of the kind,
 * the revision is inserted behind it without parsing the rest.
 */
export class ObjectFormat {
  readonly apiVersion: string;
  readonly kind: string;
  #head: Uint8Array | undefined;
  readonly #headText: string;
  readonly #textOf: NonNullable<ObjectFormatOptions['textOf']>;

  readonly onShare: ObjectFormatOptions['onShare'];

  readonly #setDefaults: ObjectFormatOptions['setDefaults'];
  readonly #setsDefaultsOfAll: boolean;
  readonly #keepsVersions: boolean;
  readonly #prune: ObjectFormatOptions['prune'];

  constructor(apiVersion: string, kind: string, options: ObjectFormatOptions = {}) {
    const { onShare, setDefaults, prune } = options;
    const { setsDefaultsOfAll = false, textOf = writeJson, keepsVersions = false } = options;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.onShare = onShare;
    this.#setDefaults = setDefaults;
    this.#textOf = textOf;
    this.#setsDefaultsOfAll = setsDefaultsOfAll;
    this.#keepsVersions = keepsVersions;
    this.#prune = prune;
    this.#headText = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`;
  }

  /** `{"kind":"Pod","apiVersion":"v1","metadata":{`: the beginning of every stored value of the kind. */
  get head(): Uint8Array {
    return (this.#head ??= encoder.encode(this.#headText));
  }

  /** The value to store, without the object's resourceVersion. The caller gives up the object. */
  encode(object: KubeObject): Uint8Array {
    const { metadata } = object;
    if (metadata.resourceVersion !== undefined) delete metadata.resourceVersion;
    const { managedFields } = metadata;
    // A growing string is not sliced, because that would flatten it each time.
    let text = this.#headText + metadataText(metadata).slice(1, -1);
    if (managedFields) {
      const comma = text.length > this.#headText.length ? ',' : '';
      text += `${comma}"managedFields":${managedFieldsText(managedFields, this.#textOf)}`;
    }
    text += '}';
    const fields = fieldsOf(object);
    for (const name in fields) {
      if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
      const json = this.#fieldText(name, fields[name]);
      if (json !== undefined) text += `,${JSON.stringify(name)}:${json}`;
    }
    return encoder.encode(`${text}}`);
  }

  #fieldText(name: string, value: unknown): string | undefined {
    return name === 'spec' && typeof value === 'object' && value ? this.#textOf(value) : writeJson(value);
  }

  /**
   * True unless another program has written the value with another order of fields, or it may be of an earlier schema.
   */
  isCanonical(value: Uint8Array): boolean {
    if (this.#setsDefaultsOfAll || this.#prune) return false;
    const { head } = this;
    if (value.length <= head.length) return false;
    for (let i = head.length - 1; i >= 0; i--) if (value[i] !== head[i]) return false;
    return value[head.length] !== closingBrace;
  }

  /** A canonical value with its resourceVersion inserted. */
  withRevision(value: Uint8Array, revision: number): Uint8Array {
    return this.#behindHead(value, '', resourceVersionField(revision));
  }

  /** The inverse of `withRevision`: the stored value of these bytes. */
  withoutRevision(bytes: Uint8Array, revision: number): Uint8Array {
    return this.#behindHead(bytes, resourceVersionField(revision), '');
  }

  /** The same bytes with another resourceVersion. */
  moveRevision(bytes: Uint8Array, from: number, to: number): Uint8Array {
    return this.#behindHead(bytes, resourceVersionField(from), resourceVersionField(to));
  }

  /** The bytes with `former`, which follows the head, replaced by `text`. Both are ASCII. */
  #behindHead(bytes: Uint8Array, former: string, text: string): Uint8Array {
    const at = this.head.length;
    const changed = new Uint8Array(bytes.length - former.length + text.length);
    changed.set(this.head);
    for (let i = 0; i < text.length; i++) changed[at + i] = text.charCodeAt(i);
    changed.set(bytes.subarray(at + former.length), at + text.length);
    return changed;
  }

  /** Also decodes protobuf, in which kube-apiserver stores its objects: it omits the fields that its kinds imply. */
  decode(value: Uint8Array): KubeObject {
    if (isEnvelope(value)) {
      const object = objectOfKind(decodeKind(value, schemaOfKind));
      this.#setDefaults?.(object);
      return this.#inVersion(object);
    }
    const parsed = readJson(decoder.decode(value)) as KubeObject;
    const object = this.#prune?.(parsed) ?? parsed;
    if (this.#setsDefaultsOfAll) this.#setDefaults?.(object);
    return this.#inVersion(object);
  }

  #inVersion(object: KubeObject): KubeObject {
    if (!this.#keepsVersions) object.apiVersion = this.apiVersion;
    return object;
  }
}

/** The JSON of metadata without its managed fields, which are hidden for a moment: a copy without them would take longer than the text. */
function metadataText(metadata: KubeObject['metadata']): string {
  const { managedFields } = metadata;
  if (managedFields === undefined) return writeJson(metadata);
  const fields: { managedFields?: unknown } = metadata;
  fields.managedFields = undefined;
  const text = writeJson(metadata);
  metadata.managedFields = managedFields;
  return text;
}

const closingBrace = '}'.charCodeAt(0);

function resourceVersionField(revision: number): string {
  return `"resourceVersion":"${revision}",`;
}
