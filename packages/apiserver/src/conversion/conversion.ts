import type { KubeObject } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';

/** Turns objects of the version that is served into the one that is stored, and back. */
export type Conversion = LocalConversion | RemoteConversion;

/** Done in this process, at once. Results share nothing that a caller might change. */
export interface LocalConversion {
  readonly kind: 'local';
  toStored(object: KubeObject): KubeObject;
  /** Where `toStored` changes the name of the version alone: drops what the stored version does not have. */
  prune?(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/**
 * Conversion outside this process, such as by a webhook: as many objects as possible in one call, in the same order.
 */
export interface RemoteConversion {
  readonly kind: 'remote';
  toStored(objects: readonly KubeObject[]): Promise<readonly KubeObject[]>;
  fromStored(objects: readonly KubeObject[]): Promise<readonly KubeObject[]>;
}

/** A resource in one of its versions. */
interface Convertible {
  readonly apiVersion: string;
  /** Absent in the version in which the resource is stored. */
  readonly conversion?: Conversion;
}

/** The object in the version of the resource; itself where that is the stored one. */
export function toServedVersion({ apiVersion, conversion }: Convertible, object: KubeObject): MaybePromise<KubeObject> {
  if (!conversion || object.apiVersion === apiVersion) return object;
  if (conversion.kind === 'local') return conversion.fromStored(object);
  return conversion.fromStored([object]).then(first);
}

/** The object in the version in which the resource is stored; itself where that is the served one. */
export function toStoredVersion(
  { conversion }: Pick<Convertible, 'conversion'>,
  object: KubeObject,
): MaybePromise<KubeObject> {
  if (!conversion) return object;
  if (conversion.kind === 'local') return conversion.toStored(object);
  return conversion.toStored([object]).then(first);
}

/** The same for what is put into the store: it has no field that the stored version does not have. */
export function toStorageVersion(conversion: Conversion, object: KubeObject): MaybePromise<KubeObject> {
  if (conversion.kind === 'local' && conversion.prune) return conversion.prune(object);
  return toStoredVersion({ conversion }, object);
}

/**
 * What `toServedVersion` returns where no remote conversion is needed: for encoders, which do not wait. Other objects
 * are converted before they reach an encoder.
 */
export function inServedVersion({ apiVersion, conversion }: Convertible, object: KubeObject): KubeObject {
  if (!conversion) return object;
  if (conversion.kind === 'local') return conversion.fromStored(object);
  throw new Error(`${object.kind} ${object.metadata.name} was not converted to ${apiVersion} before it was encoded`);
}

function first(objects: readonly KubeObject[]): KubeObject {
  return objects[0] as KubeObject;
}
