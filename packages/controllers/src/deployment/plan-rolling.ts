import type { Deployment, ReplicaSet } from '@coracle/api';
import { byAge, desiredReplicas, rolloutBounds, specReplicas, sum } from './rollout-math.js';

/** A replica set and its new number of replicas. */
export interface Scaling {
  readonly replicaSet: ReplicaSet;
  readonly to: number;
}

export interface RolloutView {
  readonly deployment: Deployment;
  readonly current: ReplicaSet;
  readonly old: readonly ReplicaSet[];
}

/**
 * The next step of a rolling update: first up, then down, nothing when both must wait. An old replica set may be scaled
 * twice, to remove pods that are not available and then others.
 */
export function planRolling(view: RolloutView): Scaling[] {
  const up = scaleCurrent(view);
  return up ? [up] : scaleDownOld(view);
}

function scaleCurrent({ deployment, current, old }: RolloutView): Scaling | undefined {
  const to = currentReplicas(deployment, current, old);
  return to === specReplicas(current) ? undefined : { replicaSet: current, to };
}

/** As many as desired, within the surge. */
export function currentReplicas(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): number {
  const desired = desiredReplicas(deployment);
  const has = current ? specReplicas(current) : 0;
  if (deployment.spec?.strategy?.type === 'Recreate' || has > desired) return desired;
  const room = desired + rolloutBounds(deployment).maxSurge - has - sum(old, specReplicas);
  return has + Math.max(0, Math.min(room, desired - has));
}

/**
 * Scales down old replica sets as far as enough pods stay available. Pods that are not available are removed first.
 * Pods of the new revision that are not available yet count as missing.
 */
function scaleDownOld({ deployment, current, old }: RolloutView): Scaling[] {
  const minAvailable = desiredReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  const currentUnavailable = specReplicas(current) - (current.status?.availableReplicas ?? 0);
  const spare = sum([current, ...old], specReplicas) - minAvailable - currentUnavailable;
  if (spare <= 0) return [];
  const active = [...old].filter((one) => specReplicas(one) > 0).sort(byAge);
  const sizes = new Map(active.map((one) => [one, specReplicas(one)]));
  const unhealthy = dropUnhealthy(sizes, spare);
  const left = spare - active.reduce((sum, one) => sum + specReplicas(one) - (sizes.get(one) ?? 0), 0);
  const available = sum([current, ...old], ({ status }) => status?.availableReplicas);
  // Statuses may still count pods that an earlier step has removed; `spec.replicas` does not.
  return [...unhealthy, ...dropHealthy(sizes, Math.min(left, available - minAvailable))];
}

function dropUnhealthy(sizes: Map<ReplicaSet, number>, most: number): Scaling[] {
  return drop(sizes, most, (replicaSet, size) => size - (replicaSet.status?.availableReplicas ?? 0));
}

function dropHealthy(sizes: Map<ReplicaSet, number>, most: number): Scaling[] {
  return drop(sizes, most, (_replicaSet, size) => size);
}

/** Reduces each, in order, by at most its number of removable pods, until the total is reached. */
function drop(
  sizes: Map<ReplicaSet, number>,
  most: number,
  mayGo: (replicaSet: ReplicaSet, size: number) => number,
): Scaling[] {
  const steps: Scaling[] = [];
  let left = Math.max(0, most);
  for (const [replicaSet, size] of sizes) {
    const count = Math.min(Math.max(0, mayGo(replicaSet, size)), left);
    if (count === 0) continue;
    left -= count;
    sizes.set(replicaSet, size - count);
    steps.push({ replicaSet, to: size - count });
  }
  return steps;
}
