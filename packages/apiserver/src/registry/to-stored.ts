import type { KubeObject } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import { toStoredVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';

/**
 * Converts a decoded object with its defaults to the stored version. Consumes the object, except for a spec that it
 * shares with `base`, which has its defaults.
 */
export function toStored(resource: ServedResource, object: KubeObject, base?: KubeObject): MaybePromise<KubeObject> {
  const { rules } = resource;
  if (base && knowsDefaultsOfSpec(resource) && resource.stored.specs.areSame(object, base))
    rules.setDefaultsBesideSpec?.(object);
  else rules.setDefaults?.(object);
  return converted(resource, object);
}

/** The same for the result of server-side apply. */
export function appliedToStored(resource: ServedResource, object: KubeObject): MaybePromise<KubeObject> {
  const { rules } = resource;
  if (rules.setDefaultsOfApplied) rules.setDefaultsOfApplied(object);
  else rules.setDefaults?.(object);
  return converted(resource, object);
}

function converted(resource: ServedResource, object: KubeObject): MaybePromise<KubeObject> {
  const { conversion, stored } = resource;
  if (!conversion) return object;
  return andThen(toStoredVersion(resource, object), (result) => {
    stored.rules.setDefaults?.(result);
    return result;
  });
}

/** Whether defaulting can skip a spec that already has its defaults. */
export function knowsDefaultsOfSpec({ rules, conversion }: ServedResource): boolean {
  return !conversion && rules.setDefaultsBesideSpec !== undefined;
}
