import type { Deployment, ReplicaSet } from '@coracle/api';
import { compareRevisions } from './annotations.js';
import { byAge, specReplicas } from './rollout-math.js';

/** Old replica sets beyond the history limit, the oldest revisions first. Only those without pods can be deleted. */
export function planCleanup(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const living = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = living.length - limit;
  if (surplus <= 0) return [];
  const sorted = [...living].sort((a, b) => compareRevisions(a, b) || byAge(a, b));
  return sorted.slice(0, surplus).filter(isSpent);
}

function isSpent(replicaSet: ReplicaSet): boolean {
  const { status, metadata } = replicaSet;
  return (
    specReplicas(replicaSet) === 0 &&
    (status?.replicas ?? 0) === 0 &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}
