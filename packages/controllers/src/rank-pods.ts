import type { Pod } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isReady, readySince, restartCount } from './pod-state.js';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

export interface RankContext {
  readonly now: Millis;
  /** Pods of the same owner's family on the pod's node: of two neighbours, one goes first. */
  neighbours(pod: Pod): number;
}

/**
 * Orders pods by how little is lost with them, the least first: without a node, pending, not ready, cheap to
 * delete, with many neighbours, ready for a shorter time, often restarted, young.
 */
export function rankForDeletion(pods: readonly Pod[], { now, neighbours }: RankContext): Pod[] {
  const compare = (a: Pod, b: Pod): number =>
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    (phaseRank[a.status?.phase ?? ''] ?? 1) - (phaseRank[b.status?.phase ?? ''] ?? 1) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    neighbours(b) - neighbours(a) ||
    ageBucket(readySince(a), now) - ageBucket(readySince(b), now) ||
    restartCount(b) - restartCount(a) ||
    ageBucket(createdAt(a), now) - ageBucket(createdAt(b), now) ||
    ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1);
  return [...pods].sort(compare);
}

function deletionCost({ metadata }: Pod): number {
  const cost = metadata.annotations?.[costAnnotation];
  return cost !== undefined && /^[+-]?\d+$/.test(cost) ? Number(cost) : 0;
}

/** By powers of two: pods of about the same age are equal, so that chance spreads deletions among them. */
function ageBucket(since: Millis | undefined, now: Millis): number {
  if (since === undefined) return -1;
  return Math.floor(Math.log2(Math.max(1, (now - since) / 1000)));
}

function createdAt({ metadata }: Pod): Millis | undefined {
  return metadata.creationTimestamp === undefined ? undefined : parseTime(metadata.creationTimestamp);
}
