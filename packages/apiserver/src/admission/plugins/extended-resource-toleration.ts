import type { Pod, Toleration } from '@coracle/api';
import type { AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';

/** Nodes with rare resources are tainted with their names: a pod that requests such a resource may go there. */
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

/** Not one of Kubernetes' own: those have no domain, or its. */
function isExtended(resource: string): boolean {
  return resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.');
}
