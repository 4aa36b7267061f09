import type { Pod } from '../../generated/types/core-v1.js';

/** Whether all containers of a pod in this phase have ended for good. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether all containers of the pod have ended for good. */
export function isTerminalPod({ status }: Pick<Pod, 'status'>): boolean {
  return isTerminalPhase(status?.phase);
}
