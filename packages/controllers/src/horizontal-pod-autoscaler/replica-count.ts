import type { PodGroups } from './group-pods.js';
import { without } from './group-pods.js';
import type { PodSample, PodSamples } from './metric-samples.js';

/** Tolerance: relative deviation of usage from its target without scaling. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface Ratio {
  /** Usage divided by target. */
  readonly ratio: number;
  /** In percent of requests; for utilization targets. */
  readonly utilization?: number;
  /** The average of the samples, in thousandths. */
  readonly average: number;
}

/** The ratio of usage to target for these samples. */
export type RatioOf = (samples: PodSamples) => Ratio;

export function isTolerable(ratio: number, { up, down }: Tolerances): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

export interface CountInput {
  readonly current: number;
  readonly samples: PodSamples;
  readonly groups: PodGroups;
  readonly tolerances: Tolerances;
  readonly ratioOf: RatioOf;
  /** Assumed usage of a pod without a sample when scaling down: its full target. */
  readonly assumed: (pod: string) => number;
}

export interface ReplicaCount extends Ratio {
  readonly replicas: number;
}

/**
 * HPA-18, HPA-19: the number of replicas that brings the average to its target. Pods without metrics must not cause
 * scaling: they count as fully used for scaling down and as unused for scaling up, and if that reverses the direction,
 * nothing is done.
 */
export function countReplicas(input: CountInput): ReplicaCount {
  const { current, groups, tolerances, ratioOf } = input;
  const counted = requireSamples(input);
  const usage = ratioOf(counted);
  const scalesUpWithUnready = groups.unready.size > 0 && usage.ratio > 1;
  if (!scalesUpWithUnready && groups.missing.size === 0) {
    const replicas = isTolerable(usage.ratio, tolerances) ? current : Math.ceil(usage.ratio * groups.readyCount);
    return { ...usage, replicas };
  }
  const completed = completeSamples(input, { counted, ratio: usage.ratio, scalesUpWithUnready });
  const { ratio } = ratioOf(completed);
  const isTurned = (usage.ratio < 1 && ratio > 1) || (usage.ratio > 1 && ratio < 1);
  if (isTolerable(ratio, tolerances) || isTurned) return { ...usage, replicas: current };
  const replicas = Math.ceil(ratio * completed.size);
  const isBackwards = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return { ...usage, replicas: isBackwards ? current : replicas };
}

/** The samples that count; fails if there are none. */
export function requireSamples({ samples, groups }: Pick<CountInput, 'samples' | 'groups'>): PodSamples {
  const counted = without(samples, groups.ignored, groups.unready);
  if (counted.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  return counted;
}

function completeSamples(
  { groups, assumed }: CountInput,
  {
    counted,
    ratio,
    scalesUpWithUnready,
  }: { readonly counted: PodSamples; readonly ratio: number; readonly scalesUpWithUnready: boolean },
): PodSamples {
  const completed = new Map(counted);
  const sample = (value: number): PodSample => ({ value, at: 0, windowMs: 0 });
  if (ratio !== 1) for (const name of groups.missing) completed.set(name, sample(ratio < 1 ? assumed(name) : 0));
  if (scalesUpWithUnready) for (const name of groups.unready) completed.set(name, sample(0));
  return completed;
}

/** Average over a target value. */
export function averageRatio(target: number): RatioOf {
  return (samples) => {
    const total = [...samples.values()].reduce((sum, { value }) => sum + value, 0);
    const average = Math.trunc(total / samples.size);
    return { ratio: average / target, average };
  };
}

/** Utilization in percent of requests over a target percentage. Pods without a known request are ignored. */
export function utilizationRatio(target: number, requests: ReadonlyMap<string, number>): RatioOf {
  return (samples) => {
    const matched = [...samples].filter(([name]) => requests.has(name));
    const used = matched.reduce((sum, [, { value }]) => sum + value, 0);
    const requested = matched.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0);
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const utilization = Math.trunc((used * 100) / requested);
    return { ratio: utilization / target, utilization, average: Math.trunc(used / matched.length) };
  };
}
