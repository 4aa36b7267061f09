import { apiVersionOf, type GroupVersionKind, type KubeObject } from '@coracle/apimachinery';
import type { Conversion } from '../registry/served-resource.js';
import { eventConversion } from './event.js';
import { horizontalPodAutoscalerConversion } from './horizontal-pod-autoscaler.js';

/** `served kind stored` → how to get from the one to the other and back, where the fields differ. */
const conversions: Readonly<Record<string, Conversion>> = {
  'autoscaling/v1 HorizontalPodAutoscaler autoscaling/v2': horizontalPodAutoscalerConversion,
  'events.k8s.io/v1 Event v1': eventConversion,
};

/** Most versions of a kind have the same fields: only the name of the version differs. */
export function conversionBetween(served: GroupVersionKind, stored: GroupVersionKind): Conversion {
  const special = conversions[`${apiVersionOf(served)} ${served.kind} ${apiVersionOf(stored)}`];
  if (special) return special;
  return {
    toStored: (object) => renamed(object, stored),
    fromStored: (object) => renamed(object, served),
  };
}

function renamed(object: KubeObject, to: GroupVersionKind): KubeObject {
  return { ...object, kind: to.kind, apiVersion: apiVersionOf(to), metadata: { ...object.metadata } };
}
