import type { Plugin } from '../../framework/plugin.js';

/** Queueing hints of the volume plugins: nodes that come or change, and changes of these resources. */
export function changesOf(...resources: readonly string[]): NonNullable<Plugin['wakesOn']> {
  const known = new Set(resources);
  return [
    { event: 'node-added' },
    { event: 'node-updated' },
    { event: 'other', helps: (event) => event.kind === 'other' && known.has(event.resource) },
  ];
}
