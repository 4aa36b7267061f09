export const ttlAnnotation = 'node.alpha.kubernetes.io/ttl';

/** The cluster sizes of a TTL. They overlap, so that a node that is added and removed does not change it each time. */
const steps = [
  { from: 0, to: 100, ttlSeconds: 0 },
  { from: 90, to: 500, ttlSeconds: 15 },
  { from: 450, to: 1000, ttlSeconds: 30 },
  { from: 900, to: 2000, ttlSeconds: 60 },
  { from: 1800, to: 10_000, ttlSeconds: 300 },
  { from: 9000, to: Number.POSITIVE_INFINITY, ttlSeconds: 600 },
] as const;

export interface TtlStep {
  readonly index: number;
  readonly ttlSeconds: number;
}

/** The step for a cluster of this size, given the current step. */
export function ttlStep(nodeCount: number, from: number): TtlStep {
  let index = from;
  while (nodeCount > (steps[index]?.to ?? 0)) index++;
  while (nodeCount < (steps[index]?.from ?? 0)) index--;
  return { index, ttlSeconds: steps[index]?.ttlSeconds ?? 0 };
}
