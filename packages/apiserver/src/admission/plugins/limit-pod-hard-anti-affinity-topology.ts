import type { Pod } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import type { AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';

const hostname = 'kubernetes.io/hostname';

/** Rejects pods whose required anti-affinity has a topology larger than a node. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: (attributes) => aboutPods(attributes, 'CREATE', 'UPDATE'),
  validate({ resource, name, object }) {
    const terms = (object as Pod).spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wide = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (!wide) return;
    const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${hostname} is allowed`;
    throw forbidden(resource, name, why);
  },
};
