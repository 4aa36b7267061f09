import { formatTime } from '@coracle/apimachinery';
import type { Context } from '../../command/context.js';
import { at, stringMapAt } from '../../values.js';
import { patchWorkloads, type WorkloadPatch } from './patch-workloads.js';

const annotation = 'kubectl.kubernetes.io/restartedAt';

export function run(context: Context): Promise<void> {
  return patchWorkloads(context, restarting(context.host.clock.now()));
}

/** Replaces all pods, by a new annotation of their template. */
export function restarting(now: number): WorkloadPatch {
  const restartedAt = formatTime(now);
  return {
    operation: 'restarted',
    kinds: ['Deployment', 'DaemonSet', 'StatefulSet'],
    unsupported: 'restarting is not supported',
    patch: (object) => {
      if (at(object, 'spec', 'paused') === true) return "can't restart paused deployment (run rollout resume first)";
      const before = stringMapAt(object, 'spec', 'template', 'metadata', 'annotations')[annotation];
      if (before === restartedAt)
        return 'failed to create patch: if restart has already been triggered within the past second, please wait before attempting to trigger another';
      return { spec: { template: { metadata: { annotations: { [annotation]: restartedAt } } } } };
    },
  };
}
