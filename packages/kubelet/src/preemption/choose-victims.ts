import { computeQosClass, type Pod, type QosClass } from '@coracle/api';
import type { ResourceShortage } from '../admit-pod.js';
import { isCritical } from '../eviction/is-critical.js';
import { countOf, requestsOf } from '../used-resources.js';

/** The pods to preempt for a critical one, or the resources that are missing even without all preemptible pods. */
export type VictimChoice = { readonly victims: readonly Pod[] } | { readonly missing: readonly ResourceShortage[] };

interface Candidate {
  readonly pod: Pod;
  readonly amountOf: (resource: string) => number;
}

type Shortages = readonly ResourceShortage[];

/**
 * As few Guaranteed pods as possible, then as few Burstable, then as few BestEffort: each class is chosen as if all
 * pods of the lower classes were evicted too. Within a class, the pod that covers most of the missing resources is
 * chosen, and of two equal ones the smaller.
 */
export function chooseVictims(preemptor: Pod, pods: readonly Pod[], shortages: Shortages): VictimChoice {
  const candidates = pods.filter((pod) => mayPreempt(preemptor, pod)).map(candidateOf);
  const ofClass = (qos: QosClass) => candidates.filter(({ pod }) => computeQosClass(pod) === qos);
  const [bestEffort, burstable] = [ofClass('BestEffort'), ofClass('Burstable')];
  const missing = without(shortages, candidates);
  if (missing.length > 0) return { missing };
  const guaranteedVictims = closest(ofClass('Guaranteed'), without(shortages, [...bestEffort, ...burstable]));
  const burstableVictims = closest(burstable, without(shortages, [...bestEffort, ...guaranteedVictims]));
  const bestEffortVictims = closest(bestEffort, without(shortages, [...burstableVictims, ...guaranteedVictims]));
  const victims = [...bestEffortVictims, ...burstableVictims, ...guaranteedVictims];
  return { victims: victims.map(({ pod }) => pod) };
}

/** Whether a critical pod may preempt another: pods that are not critical, and critical ones of a lower priority. */
export function mayPreempt(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true;
  const [own, other] = [preemptor.spec?.priority, pod.spec?.priority];
  return own !== undefined && other !== undefined && own > other;
}

function candidateOf(pod: Pod): Candidate {
  const requests = requestsOf(pod);
  const amountOf = (resource: string) => {
    const amount = requests.get(resource);
    return amount ? countOf(resource, amount) : 0;
  };
  return { pod, amountOf };
}

/** The resources that are still missing without these pods. */
function without(shortages: Shortages, gone: readonly Candidate[]): Shortages {
  return shortages.flatMap(({ resource, amount }) => {
    const left = gone.reduce((rest, { amountOf }) => rest - amountOf(resource), amount);
    return left > 0 ? [{ resource, amount: left }] : [];
  });
}

/** The candidates that cover the missing resources, one after the other. The caller ensures that all together do. */
function closest(candidates: readonly Candidate[], shortages: Shortages): Candidate[] {
  const chosen: Candidate[] = [];
  let left = [...candidates];
  for (let short = shortages; short.length > 0 && left.length > 0; ) {
    const best = left.reduce((one, other) => (isCloser(other, one, short) ? other : one));
    chosen.push(best);
    left = left.filter((one) => one !== best);
    short = without(short, [best]);
  }
  return chosen;
}

function isCloser(one: Candidate, other: Candidate, shortages: Shortages): boolean {
  const difference = distance(one, shortages) - distance(other, shortages);
  return difference < 0 || (difference === 0 && isSmaller(one, other));
}

/** The sum of squares of the remaining fractions: every resource has the same weight. */
function distance({ amountOf }: Candidate, shortages: Shortages): number {
  return shortages.reduce((sum, { resource, amount }) => {
    const rest = Math.max(0, amount - amountOf(resource)) / amount;
    return sum + rest * rest;
  }, 0);
}

/** Of two equal pods, the newer. */
function isSmaller(one: Candidate, other: Candidate): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = one.amountOf(resource) - other.amountOf(resource);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
