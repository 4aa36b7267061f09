import type { Deployment, ReplicaSet } from '@coracle/api';
import { scaledValue } from '@coracle/apimachinery';

export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/**
 * Maximum surge and unavailability of a rolling update. Surge rounds up, unavailability down; if both are zero, one pod
 * may be unavailable, otherwise the rollout could not progress.
 */
export function rolloutBounds(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const desired = desiredReplicas(deployment);
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  if (type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? '25%', desired, 'up') ?? 0;
  const unavailable = scaledValue(rollingUpdate?.maxUnavailable ?? '25%', desired, 'down') ?? 0;
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, desired) };
}

export function specReplicas({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 0;
}

export function sum(replicaSets: readonly ReplicaSet[], read: (replicaSet: ReplicaSet) => number | undefined): number {
  return replicaSets.reduce((total, replicaSet) => total + (read(replicaSet) ?? 0), 0);
}

/** Oldest first; by name where they are equally old. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return (
    compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compare(a.metadata.name, b.metadata.name)
  );
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
