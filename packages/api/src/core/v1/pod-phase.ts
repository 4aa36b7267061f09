import type { Pod } from '../../generated/types/core-v1.js';

/** Whether all containers of a pod in this phase have terminated and will not restart. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether all containers of the pod have terminated and will not restart. */
export function isTerminalPod({ status }: Pick<Pod, 'status'>): boolean {
  return isTerminalPhase(status?.phase);
}
