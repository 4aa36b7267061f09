import { refs } from '@coracle/api';
import type { WantedObject } from '../registry/wanted-object.js';

const classes = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** The two classes that pods of the cluster itself may name. */
export const priorityClasses: readonly WantedObject[] = classes.map(({ name, value, description }) => ({
  ref: refs.priorityClasses,
  object: {
    metadata: { name },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  } as WantedObject['object'],
}));
