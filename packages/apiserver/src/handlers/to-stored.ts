import type { KubeObject } from '@coracle/apimachinery';
import type { ServedResource } from '../registry/served-resource.js';

/** A decoded object with its defaults, in the version in which it is stored. The object itself is used up. */
export function toStored({ rules, conversion, stored }: ServedResource, object: KubeObject): KubeObject {
  rules.setDefaults?.(object);
  if (!conversion) return object;
  const converted = conversion.toStored(object);
  stored.rules.setDefaults?.(converted);
  return converted;
}
