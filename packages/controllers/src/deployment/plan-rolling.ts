import type { Deployment, ReplicaSet } from '@coracle/api';
import { byAge, desiredReplicas, rolloutBounds, specReplicas, sum } from './rollout-math.js';

/** A replica set and the number that it is to have. */
export interface Scaling {
  readonly replicaSet: ReplicaSet;
  readonly to: number;
}

export interface RolloutView {
  readonly deployment: Deployment;
  readonly current: ReplicaSet;
  readonly old: readonly ReplicaSet[];
}

/** The next step of a rolling update: first scale up, then down, nothing when both must wait. */
export function planRolling(view: RolloutView): Scaling[] {
  const up = scaleCurrent(view);
  return up ? [up] : scaleDownOld(view);
}

function scaleCurrent({ deployment, current, old }: RolloutView): Scaling | undefined {
  const to = currentReplicas(deployment, current, old);
  return to === specReplicas(current) ? undefined : { replicaSet: current, to };
}

/** As many as wanted, as far as the surge allows beside the old ones. */
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
  const sizes = new Map(
    [...old]
      .filter((one) => specReplicas(one) > 0)
      .sort(byAge)
      .map((one) => [one, specReplicas(one)]),
  );
  const left = dropUnhealthy(sizes, spare);
  const available = sum([current, ...old], ({ status }) => status?.availableReplicas);
  // Statuses may still count pods that an earlier step has removed; sizes do not.
  dropHealthy(sizes, Math.min(left, available - minAvailable));
  return [...sizes]
    .filter(([replicaSet, to]) => to !== specReplicas(replicaSet))
    .map(([replicaSet, to]) => ({ replicaSet, to }));
}

/** Returns how many more could go. */
function dropUnhealthy(sizes: Map<ReplicaSet, number>, most: number): number {
  let left = most;
  for (const [replicaSet, size] of sizes) {
    const unhealthy = size - (replicaSet.status?.availableReplicas ?? 0);
    const drop = Math.min(Math.max(0, unhealthy), left);
    sizes.set(replicaSet, size - drop);
    left -= drop;
  }
  return left;
}

function dropHealthy(sizes: Map<ReplicaSet, number>, most: number): void {
  let left = Math.max(0, most);
  for (const [replicaSet, size] of sizes) {
    const drop = Math.min(size, left);
    sizes.set(replicaSet, size - drop);
    left -= drop;
  }
}
