import type { QueueSortPlugin } from '../framework/plugin.js';

/** The more important pod first; among equals the one that has waited longer. */
export const prioritySort: QueueSortPlugin = {
  name: 'PrioritySort',
  compare: (a, b) => b.info.priority - a.info.priority || a.queuedAt - b.queuedAt || a.sequence - b.sequence,
};
