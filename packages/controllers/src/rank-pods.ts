import type { Pod } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isReady, readySince, restartCounts } from './pod-state.js';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

export interface RankContext {
  readonly now: Millis;
  /** Number of pods of the same or related owners on the pod's node: of two on one node, one is deleted first. */
  neighbours(pod: Pod): number;
}

/**
 * Sorts pods for deletion, those with the least cost first: without a node, pending, not ready, low deletion cost, with
 * many related pods on the node, ready for a shorter time, often restarted, young.
 */
export function rankForDeletion(pods: readonly Pod[], { now, neighbours }: RankContext): Pod[] {
  const compare = (a: Pod, b: Pod): number =>
    compareProgress(a, b) ||
    deletionCost(a) - deletionCost(b) ||
    neighbours(b) - neighbours(a) ||
    compareAges(a, b, { since: readySince, now }) ||
    compareRestarts(a, b) ||
    compareAges(a, b, { since: createdAt, now });
  return [...pods].sort(compare);
}

/**
 * The order in which jobs delete active pods: without a node, pending, not ready, ready for a shorter time, often
 * restarted, young. Deletion costs are ignored.
 */
export function rankActivePods(pods: readonly Pod[]): Pod[] {
  const compare = (a: Pod, b: Pod): number =>
    compareProgress(a, b) || youngerFirst(a, b, readySince) || compareRestarts(a, b) || youngerFirst(a, b, createdAt);
  return [...pods].sort(compare);
}

/** Without a node, pending, not ready. */
function compareProgress(a: Pod, b: Pod): number {
  return (
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    (phaseRank[a.status?.phase ?? ''] ?? 1) - (phaseRank[b.status?.phase ?? ''] ?? 1) ||
    Number(isReady(a)) - Number(isReady(b))
  );
}

/** A pod of unknown age comes first. */
function youngerFirst(a: Pod, b: Pod, since: Age['since']): number {
  const [first, second] = [since(a) ?? Number.MAX_VALUE, since(b) ?? Number.MAX_VALUE];
  return second - first;
}

/** A deletion cost that is not a canonical int32 counts as 0. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? '';
  const cost = /^(0|[1-9]\d*|-\d+)$/.test(text) ? Number(text) : 0;
  return (cost | 0) === cost ? cost : 0;
}

interface Age {
  readonly since: (pod: Pod) => Millis | undefined;
  readonly now: Millis;
}

/**
 * The younger first, by powers of two: among pods of about the same age the uid decides, which is random, so that
 * deletions are spread. A pod of unknown age is first.
 */
function compareAges(a: Pod, b: Pod, { since, now }: Age): number {
  const [first, second] = [since(a), since(b)];
  if (first === second) return 0;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  return ageBucket(now - first) - ageBucket(now - second) || ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1);
}

/** Counted in nanoseconds, as upstream does: it decides the boundaries of the powers of two. */
function ageBucket(ageMs: Millis): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1;
}

/** The more restarted first; sidecars are compared if the other containers are equal. */
function compareRestarts(a: Pod, b: Pod): number {
  const [first, second] = [restartCounts(a), restartCounts(b)];
  return second.containers - first.containers || second.sidecars - first.sidecars;
}

function createdAt({ metadata }: Pod): Millis | undefined {
  return metadata.creationTimestamp === undefined ? undefined : parseTime(metadata.creationTimestamp);
}
