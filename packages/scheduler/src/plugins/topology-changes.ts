import type { Plugin } from '../framework/plugin.js';

/** What may change how many pods there are in a zone or on a host: every change of nodes and of the pods on them. */
export const topologyChanges: NonNullable<Plugin['wakesOn']> = [
  { event: 'node-added' },
  { event: 'node-updated' },
  { event: 'pod-added' },
  { event: 'pod-updated' },
  { event: 'pod-deleted' },
];
