import type { Pod } from '@coracle/api';
import type { AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';

/** Nodes with rare resources are tainted with their names: whoever asks for such a resource may go there. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: (attributes) => aboutPods(attributes, 'CREATE', 'UPDATE'),
  mutate({ object }) {
    const { spec } = object as Pod;
    if (!spec) return;
    const asked = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    for (const key of [...new Set(asked)].filter(isExtended).sort()) {
      const others = spec.tolerations ?? [];
      if (others.some((one) => one.key === key && one.operator === 'Exists' && one.effect === 'NoSchedule')) continue;
      spec.tolerations = [...others, { key, operator: 'Exists', effect: 'NoSchedule' }];
    }
  },
};

/** Not one of Kubernetes' own: those have no domain, or its. */
function isExtended(resource: string): boolean {
  return resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.');
}
