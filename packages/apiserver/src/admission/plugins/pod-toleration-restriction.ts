import { computeQosClass, type Pod, refs, type Toleration } from '@coracle/api';
import { failure, readJson } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';
import { covers, merged } from './tolerations.js';

const defaults = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const allowed = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

/** Used for namespaces without the annotation. */
export interface TolerationConfig {
  readonly default?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}

const memoryPressure: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Adds the default tolerations of the namespace to pods, and rejects tolerations that it does not allow. */
export function podTolerationRestriction(
  { objects }: { readonly objects: ObjectReader },
  config: TolerationConfig = {},
): AdmissionPlugin {
  const stated = (namespace: string, annotation: string) =>
    parse(objects.get(refs.namespaces, '', namespace)?.metadata.annotations?.[annotation], annotation);
  return {
    name: 'PodTolerationRestriction',
    handles: (attributes) => aboutPods(attributes, 'CREATE', 'UPDATE'),
    mutate({ operation, namespace, object }) {
      const pod = object as Pod;
      const { spec } = pod;
      if (!spec) return undefined;
      const own = operation === 'CREATE' ? (stated(namespace, defaults) ?? config.default ?? []) : [];
      const extra = computeQosClass(pod) === 'BestEffort' ? own : [...own, memoryPressure];
      if (extra.length === 0) return undefined;
      return { ...pod, spec: { ...spec, tolerations: merged(spec.tolerations ?? [], extra) } };
    },
    validate({ namespace, object }) {
      const tolerations = (object as Pod).spec?.tolerations ?? [];
      const list = stated(namespace, allowed) ?? config.whitelist ?? [];
      if (list.length === 0 || tolerations.every((one) => list.some((other) => covers(other, one)))) return;
      throw failure(
        'InternalError',
        'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
      );
    },
  };
}

function parse(text: string | undefined, annotation: string): readonly Toleration[] | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = readJson(text);
    if (Array.isArray(value)) return value as Toleration[];
  } catch {
    // The error is reported below.
  }
  throw failure('InternalError', `the annotation ${annotation} of the namespace is no list of tolerations`);
}
