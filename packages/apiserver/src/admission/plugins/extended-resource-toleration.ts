import type { Pod, Toleration } from '@coracle/api';
import type { AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';

/**
 * Adds tolerations for the extended resources that a pod requests: nodes with such resources are tainted with their
 * names.
 */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: (attributes) => aboutPods(attributes, 'CREATE', 'UPDATE'),
  mutate({ object }) {
    const pod = object as Pod;
    const { spec } = pod;
    if (!spec) return undefined;
    const extendedResources = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    const tolerations = spec.tolerations ?? [];
    const added = [...new Set(extendedResources)]
      .filter((key) => isExtended(key) && !tolerations.some((one) => tolerates(one, key)))
      .sort()
      .map((key): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
    return added.length > 0 ? { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added] } } : undefined;
  },
};

function tolerates({ key, operator, effect }: Toleration, resource: string): boolean {
  return key === resource && operator === 'Exists' && effect === 'NoSchedule';
}

/** Excludes Kubernetes resources: their names have no domain, or the domain kubernetes.io. */
function isExtended(resource: string): boolean {
  return resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.');
}
