import { isTerminalPod, type Pod } from '@coracle/api';
import type { RolloutView, Scaling } from './plan-rolling.js';
import { desiredReplicas, specReplicas } from './rollout-math.js';

/** All old pods must be deleted before the first new one is created. */
export function planScaleDown(old: RolloutView['old']): Scaling[] {
  return old.filter((replicaSet) => specReplicas(replicaSet) > 0).map((replicaSet) => ({ replicaSet, to: 0 }));
}

export function planScaleUp({ deployment, current }: Pick<RolloutView, 'deployment' | 'current'>): Scaling[] {
  const desired = desiredReplicas(deployment);
  return specReplicas(current) === desired ? [] : [{ replicaSet: current, to: desired }];
}

/** Running pods of old replica sets. Terminated ones do not count; terminating ones do. */
export function anyStillRunning(pods: readonly Pod[]): boolean {
  return pods.some((pod) => !isTerminalPod(pod));
}
