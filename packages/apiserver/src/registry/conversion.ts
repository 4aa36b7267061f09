import { fromCoreEvent, toCoreEvent } from '@coracle/api';
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '@coracle/apimachinery';
import type { Conversion } from './served-resource.js';

/** `group/kind` and the versions → how to get from the served one to the stored one and back. */
const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1 Event v1': {
    toStored: (event) => toCoreEvent(event as ServedEvent) as KubeObject,
    fromStored: (event) => fromCoreEvent(event as CoreEvent) as KubeObject,
  },
};

type CoreEvent = ReturnType<typeof toCoreEvent>;
type ServedEvent = ReturnType<typeof fromCoreEvent>;

/** Most versions of a kind have the same fields: only the name of the version differs. */
export function conversionBetween(served: GroupVersionKind, stored: GroupVersionKind): Conversion {
  const special = conversions[`${apiVersionOf(served)} ${served.kind} ${apiVersionOf(stored)}`];
  if (special) return special;
  return {
    toStored: (object) => renamed(object, apiVersionOf(stored), stored.kind),
    fromStored: (object) => renamed(object, apiVersionOf(served), served.kind),
  };
}

function renamed(object: KubeObject, apiVersion: string, kind: string): KubeObject {
  return { ...object, kind, apiVersion };
}
