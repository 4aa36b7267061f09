import type { QueueSortPlugin } from '../framework/plugin.js';

/** The pod with the higher priority first, then the one that has waited longer. */
export const prioritySort: QueueSortPlugin = {
  name: 'PrioritySort',
  compare: (a, b) => b.info.priority - a.info.priority || a.queuedAt - b.queuedAt || a.sequence - b.sequence,
};
