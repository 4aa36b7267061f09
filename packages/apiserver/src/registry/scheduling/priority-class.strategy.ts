import type { PriorityClass } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import type { Strategy } from '../strategy.js';

const priorityClasses = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
const systemClasses: ReadonlySet<string> = new Set(['system-node-critical', 'system-cluster-critical']);

/** What counts in a priority class never changes, so its generation stays at one. */
export const priorityClassStrategy: Strategy<PriorityClass> = {
  prepareForCreate({ metadata }) {
    metadata.generation = 1;
  },
  refuseDelete({ metadata: { name = '' } }) {
    if (!systemClasses.has(name)) return undefined;
    return forbidden(priorityClasses, name, 'this is a system priority class and cannot be deleted');
  },
};
