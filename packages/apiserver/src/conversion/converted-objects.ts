import type { KubeObject } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import { type ServedResource, type StoredResource, withoutConversion } from '../served-resource.js';
import { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import type { RemoteConversion } from './conversion.js';

/** Stored objects that are in the version of their resource, and that resource without a conversion. */
export interface InVersion {
  readonly resource: ServedResource;
  readonly items: readonly StoredObject[];
}

/**
 * Converts the objects that need a remote conversion, so that they can be encoded like any others. `undefined`
 * where there is nothing to wait for.
 */
export function convertForEncoding(
  resource: ServedResource,
  items: readonly StoredObject[],
): Promise<InVersion> | undefined {
  const { conversion } = resource;
  if (conversion?.kind !== 'remote') return undefined;
  return convertedBy(conversion, resource)
    .all(items)
    .then((converted) => ({ resource: withoutConversion(resource), items: converted }));
}

/** An object that was stored in another version than the resource has, as if it had been stored in that. */
export function inStoredVersion(resource: StoredResource, item: StoredObject): MaybePromise<StoredObject> {
  const { conversion, apiVersion, kind } = resource;
  if (!conversion || item.object.apiVersion === apiVersion) return item;
  if (conversion.kind === 'local') return storedFrom(item, conversion.fromStored(item.object), { apiVersion, kind });
  return convertedBy(conversion, { apiVersion, info: { kind } })
    .all([item])
    .then(([converted]) => converted as StoredObject);
}

function storedFrom(
  item: StoredObject,
  { metadata, ...object }: KubeObject,
  { apiVersion, kind }: Pick<StoredResource, 'apiVersion' | 'kind'>,
): StoredObject {
  // What becomes a stored object is its own.
  const copy = { ...object, metadata: { ...metadata } };
  const stored = StoredObject.fromObject(item.key, new ObjectFormat(apiVersion, kind), copy);
  stored.settle(item.revision);
  return stored;
}

/** A cache, dropped with the conversion when the CRD changes. */
const caches = new WeakMap<RemoteConversion, ConvertedObjects>();

function convertedBy(
  conversion: RemoteConversion,
  { apiVersion, info }: { readonly apiVersion: string; readonly info: { readonly kind: string } },
): ConvertedObjects {
  let found = caches.get(conversion);
  if (!found) {
    found = new ConvertedObjects(conversion, new ObjectFormat(apiVersion, info.kind));
    caches.set(conversion, found);
  }
  return found;
}

/** What a conversion has made of stored objects. Each is converted once, however many read it. */
class ConvertedObjects {
  readonly #conversion: RemoteConversion;
  readonly #format: ObjectFormat;
  readonly #conversions = new WeakMap<StoredObject, StoredObject | Promise<StoredObject>>();

  constructor(conversion: RemoteConversion, format: ObjectFormat) {
    this.#conversion = conversion;
    this.#format = format;
  }

  async all(items: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const missing = items.filter((item) => !this.#isReady(item) && !this.#conversions.has(item));
    if (missing.length > 0) this.#ask(missing);
    return await Promise.all(items.map((item) => this.#conversions.get(item) ?? item));
  }

  /** It is in the version already, and so are its bytes. */
  #isReady({ format, object }: StoredObject): boolean {
    return object.apiVersion === this.#format.apiVersion && format.apiVersion === this.#format.apiVersion;
  }

  /** A failure is not cached: the next reader tries again. */
  #ask(items: readonly StoredObject[]): void {
    const answer = this.#conversion.fromStored(items.map(({ object }) => object));
    items.forEach((item, index) => {
      const converted = answer.then(
        (objects) => {
          const { metadata, ...object } = objects[index] as KubeObject;
          // What becomes a stored object is its own.
          const copy = { ...object, metadata: { ...metadata } };
          const stored = StoredObject.fromObject(item.key, this.#format, copy);
          stored.settle(item.revision);
          this.#conversions.set(item, stored);
          return stored;
        },
        (error: unknown) => {
          this.#conversions.delete(item);
          throw error;
        },
      );
      // The caller that waits for it gets the error; no other has to.
      converted.catch(() => undefined);
      this.#conversions.set(item, converted);
    });
  }
}
