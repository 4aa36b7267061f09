import { builtInConversions, schemaOfKind } from '@coracle/api';
import {
  apiVersionOf,
  type ConversionRegistry,
  decodeOwnedObject,
  type GroupVersionKind,
  type KubeObject,
  type ObjectSchema,
} from '@coracle/apimachinery';
import type { LocalConversion } from './conversion.js';

/** Between a version that is served and the one that is stored. */
export function conversionBetween(served: GroupVersionKind, stored: GroupVersionKind): LocalConversion {
  const registry = builtInConversions();
  return {
    kind: 'local',
    toStored: (object) => convert(registry, object, stored),
    fromStored: (object) => convert(registry, object, served),
  };
}

/** Most versions of a kind have the same fields: only the name of the version differs. */
function convert(registry: ConversionRegistry, object: KubeObject, to: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(to);
  if (!registry.canConvert(to.kind, object.apiVersion ?? '', apiVersion)) {
    return { ...object, kind: to.kind, apiVersion, metadata: { ...object.metadata } };
  }
  const converted = registry.convert(object, apiVersion);
  return decodeOwnedObject<KubeObject>(converted, schemaOfKind(to) as ObjectSchema).object;
}
