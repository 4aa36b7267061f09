import type { KubeObject } from '@coracle/apimachinery';
import { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import type { RemoteConversion } from './conversion.js';
import type { ServedResource } from './served-resource.js';

/** Stored objects that are in the version of their resource, and that resource without a conversion. */
export interface InVersion {
  readonly resource: ServedResource;
  readonly items: readonly StoredObject[];
}

/**
 * Has those objects converted that somebody else converts, so that they can be encoded like any others. `undefined`
 * where there is nothing to wait for.
 */
export function convertForEncoding(
  resource: ServedResource,
  items: readonly StoredObject[],
): Promise<InVersion> | undefined {
  const { conversion, ...direct } = resource;
  if (conversion?.kind !== 'remote') return undefined;
  return convertedBy(conversion, resource)
    .all(items)
    .then((converted) => ({ resource: direct, items: converted }));
}

/** A cache and not state; it goes with the conversion, when the CRD changes. */
const caches = new WeakMap<RemoteConversion, ConvertedObjects>();

function convertedBy(conversion: RemoteConversion, { apiVersion, info }: ServedResource): ConvertedObjects {
  let found = caches.get(conversion);
  if (!found) {
    found = new ConvertedObjects(conversion, new ObjectFormat(apiVersion, info.kind));
    caches.set(conversion, found);
  }
  return found;
}

/** What a conversion has made of stored objects. Each is asked for once, however many read it. */
class ConvertedObjects {
  readonly #conversion: RemoteConversion;
  readonly #format: ObjectFormat;
  readonly #known = new WeakMap<StoredObject, StoredObject | Promise<StoredObject>>();

  constructor(conversion: RemoteConversion, format: ObjectFormat) {
    this.#conversion = conversion;
    this.#format = format;
  }

  async all(items: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const missing = items.filter((item) => !this.#known.has(item));
    if (missing.length > 0) this.#ask(missing);
    return await Promise.all(items.map((item) => this.#known.get(item) as StoredObject | Promise<StoredObject>));
  }

  /** A failure is not kept: the next reader asks again. */
  #ask(items: readonly StoredObject[]): void {
    const answer = this.#conversion.fromStored(items.map(({ object }) => object));
    items.forEach((item, index) => {
      const converted = answer.then(
        (objects) => {
          const stored = StoredObject.fromObject(item.key, this.#format, objects[index] as KubeObject);
          stored.settle(item.revision);
          this.#known.set(item, stored);
          return stored;
        },
        (error: unknown) => {
          this.#known.delete(item);
          throw error;
        },
      );
      // Whoever waits for it is told; nobody else has to be.
      converted.catch(() => undefined);
      this.#known.set(item, converted);
    });
  }
}
