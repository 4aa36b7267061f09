import type { Deployment, ReplicaSet } from '@coracle/api';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';

/** Annotations that are not copied to replica sets. */
export const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);
const historyMaxLength = 2000;

/** An int64: annotations of other clients may exceed safe integers. 0 if it is invalid. */
export function revisionOf({ metadata }: { readonly metadata: ReplicaSet['metadata'] }): bigint {
  return parseRevision(metadata.annotations?.[revisionAnnotation]);
}

export function parseRevision(text: string | undefined): bigint {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return 0n;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : 0n;
}

/** Orders by revision, the oldest first. */
export function compareRevisions(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The desired number of replicas of the deployment when it last scaled this replica set. */
export function desiredOf(replicaSet: ReplicaSet): number | undefined {
  return numberIn(replicaSet, desiredAnnotation);
}

export function maxOf(replicaSet: ReplicaSet): number | undefined {
  return numberIn(replicaSet, maxAnnotation);
}

function numberIn({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? '';
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  // An int32: an invalid one counts as missing.
  return (value | 0) === value ? value : undefined;
}

/**
 * The annotations of the newest replica set: a copy of the deployment's own, and the revision, which only increases.
 */
export function newReplicaSetAnnotations(
  deployment: Deployment,
  existing: ReplicaSet | undefined,
  revision: bigint,
): Record<string, string> {
  const current = existing?.metadata.annotations ?? {};
  const handedDown = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => !ownAnnotations.has(name),
  );
  const annotations: Record<string, string> = { ...current, ...Object.fromEntries(handedDown) };
  const before = current[revisionAnnotation];
  if (parseRevision(before) >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (before !== undefined) annotations[historyAnnotation] = appendHistory(current[historyAnnotation], before);
  return annotations;
}

/** `1,3`: earlier revisions of this replica set, the oldest dropped if there are too many. */
function appendHistory(history: string | undefined, revision: string): string {
  const revisions = [...(history ? history.split(',') : []), revision];
  while (revisions.length > 1 && revisions.join(',').length > historyMaxLength) revisions.shift();
  return revisions.join(',');
}
