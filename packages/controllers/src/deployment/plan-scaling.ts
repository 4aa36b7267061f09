import type { Deployment, ReplicaSet } from '@coracle/api';
import { desiredOf, maxOf } from './annotations.js';
import type { Scaling } from './plan-rolling.js';
import { byAge, desiredReplicas, rolloutBounds, specReplicas, sum } from './rollout-math.js';

export interface ScalingView {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Whether the desired number has changed since the replica sets were last scaled. */
export function isScalingEvent({ deployment, current, old }: ScalingView): boolean {
  const all = current ? [...old, current] : [...old];
  return all.some(
    (replicaSet) =>
      specReplicas(replicaSet) > 0 &&
      desiredOf(replicaSet) !== undefined &&
      desiredOf(replicaSet) !== desiredReplicas(deployment),
  );
}

/** Scales the replica sets to a new total. During a rollout this is proportional. */
export function planScaling(view: ScalingView): Scaling[] {
  const { deployment, current, old } = view;
  const desired = desiredReplicas(deployment);
  const only = activeOrLatest(view);
  if (only) return specReplicas(only) === desired ? [] : [{ replicaSet: only, to: desired }];
  if (current && isSaturated(deployment, current)) {
    return old.filter((one) => specReplicas(one) > 0).map((replicaSet) => ({ replicaSet, to: 0 }));
  }
  if (deployment.spec?.strategy?.type === 'Recreate') return [];
  return planProportional(view);
}

/** The one that has pods, or the newest if none has; `undefined` if several have. */
function activeOrLatest({ current, old }: ScalingView): ReplicaSet | undefined {
  const all = current ? [...old, current] : [...old];
  const active = all.filter((one) => specReplicas(one) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? [...old].sort(byAge).at(-1);
}

function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const desired = desiredReplicas(deployment);
  return (
    specReplicas(current) === desired && desiredOf(current) === desired && current.status?.availableReplicas === desired
  );
}

function planProportional({ deployment, current, old }: ScalingView): Scaling[] {
  const active = [...old, ...(current ? [current] : [])].filter((one) => specReplicas(one) > 0);
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + rolloutBounds(deployment).maxSurge : 0;
  const toAdd = allowed - sum(active, specReplicas);
  const order = toAdd > 0 ? (a: ReplicaSet, b: ReplicaSet) => byAge(b, a) : byAge;
  active.sort((a, b) => specReplicas(b) - specReplicas(a) || order(a, b));
  let added = 0;
  const sizes = active.map((replicaSet) => {
    const share = toAdd === 0 ? 0 : shareOf(replicaSet, { deployment, toAdd, added });
    added += share;
    return specReplicas(replicaSet) + share;
  });
  // The remainder of rounding goes to the largest.
  if (sizes.length > 0) sizes[0] = Math.max(0, (sizes[0] as number) + toAdd - added);
  const most = desired + rolloutBounds(deployment).maxSurge;
  return active
    .map((replicaSet, index) => ({ replicaSet, to: sizes[index] as number }))
    .filter(
      ({ replicaSet, to }) =>
        to !== specReplicas(replicaSet) || desiredOf(replicaSet) !== desired || maxOf(replicaSet) !== most,
    );
}

function shareOf(
  replicaSet: ReplicaSet,
  { deployment, toAdd, added }: { deployment: Deployment; toAdd: number; added: number },
): number {
  const left = toAdd - added;
  const fraction = fractionOf(replicaSet, deployment);
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** The change of the replica set with proportional scaling. */
function fractionOf(replicaSet: ReplicaSet, deployment: Deployment): number {
  const size = specReplicas(replicaSet);
  const desired = desiredReplicas(deployment);
  if (desired === 0) return -size;
  const total = desired + rolloutBounds(deployment).maxSurge;
  const before = maxOf(replicaSet) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * total) / before) - size;
}
