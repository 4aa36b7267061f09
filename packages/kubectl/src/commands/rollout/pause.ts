import type { Context } from '../../command/context.js';
import { at } from '../../values.js';
import { patchWorkloads, type WorkloadPatch } from './patch-workloads.js';

export function run(context: Context): Promise<void> {
  return patchWorkloads(context, pausing);
}

export const pausing: WorkloadPatch = {
  operation: 'paused',
  kinds: ['Deployment'],
  unsupported: 'pausing is not supported',
  patch: (object) => (at(object, 'spec', 'paused') === true ? 'is already paused' : { spec: { paused: true } }),
};
