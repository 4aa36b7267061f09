import type { PreEnqueuePlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

/** Keeps pods out of the queue while they have scheduling gates. */
export const schedulingGates: PreEnqueuePlugin = {
  name: 'SchedulingGates',
  wakesOn: [],
  preEnqueue({ pod }) {
    const gates = pod.spec?.schedulingGates ?? [];
    return gates.length === 0
      ? fits
      : unschedulableAndUnresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`);
  },
};
