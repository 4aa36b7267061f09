import type { Context } from '../../command/context.js';
import { at } from '../../values.js';
import { patchWorkloads, type WorkloadPatch } from './patch-workloads.js';

export function run(context: Context): Promise<void> {
  return patchWorkloads(context, resuming);
}

export const resuming: WorkloadPatch = {
  operation: 'resumed',
  kinds: ['Deployment'],
  unsupported: 'resuming is not supported',
  patch: (object) => (at(object, 'spec', 'paused') === true ? { spec: { paused: null } } : 'is not paused'),
};
