import type { PriorityClass } from '@coracle/api';
import type { Strategy } from '../strategy.js';

/** What counts in a priority class never changes, so its generation stays at one. */
export const priorityClassStrategy: Strategy<PriorityClass> = {
  prepareForCreate({ metadata }) {
    metadata.generation = 1;
  },
};
