import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Resource } from '../cache/resource.js';
import type { ScoringStrategy, WeightedResource } from '../config/scheduler-configuration.js';
import { maxScore } from '../framework/plugin.js';

type Score = (total: number, used: number) => number;

const cpuAndMemory: readonly WeightedResource[] = [{ name: 'cpu' }, { name: 'memory' }];
/** Maximum score in the shape of a configuration. */
const maxShapeScore = 10;

/** Scores nodes by utilization, according to the strategy. */
export function resourceScorer(strategy: ScoringStrategy = {}): (pod: PodInfo, node: NodeInfo) => number {
  const { type = 'LeastAllocated', requestedToCapacityRatio } = strategy;
  const resources = weighed(strategy.resources);
  if (type === 'RequestedToCapacityRatio') return byRatio(resources, brokenLine(requestedToCapacityRatio?.shape ?? []));
  const score: Score = type === 'LeastAllocated' ? freeShare : usedShare;
  const [first, second] = resources;
  const isUsual = resources.length === 2 && first?.name === 'cpu' && second?.name === 'memory';
  const [cpuWeight, memoryWeight] = [first?.weight ?? 0, second?.weight ?? 0];
  return (pod, node) => {
    const { milliCpu, memory } = node.allocatable;
    if (isUsual && milliCpu !== 0 && memory !== 0) {
      const cpuScore = score(milliCpu, node.presumed.milliCpu + pod.presumed.milliCpu);
      const memoryScore = score(memory, node.presumed.memory + pod.presumed.memory);
      return Math.trunc((cpuScore * cpuWeight + memoryScore * memoryWeight) / (cpuWeight + memoryWeight));
    }
    return weighedScore(resources, score, { pod, node });
  };
}

/** For any resources, including those that some nodes do not have. */
function weighedScore(
  resources: readonly Required<WeightedResource>[],
  score: Score,
  { pod, node }: { readonly pod: PodInfo; readonly node: NodeInfo },
): number {
  let [sum, weights] = [0, 0];
  for (const { name, weight } of resources) {
    const total = amountOf(node.allocatable, name);
    const used = usedOf(name, pod, node);
    if (total === 0 || used === undefined) continue;
    sum += score(total, used) * weight;
    weights += weight;
  }
  return weights === 0 ? 0 : Math.trunc(sum / weights);
}

/** Resources with a score of 0 are ignored. */
function byRatio(resources: readonly Required<WeightedResource>[], scoreAt: (percent: number) => number) {
  return (pod: PodInfo, node: NodeInfo) => {
    let [sum, weights] = [0, 0];
    for (const { name, weight } of resources) {
      const total = amountOf(node.allocatable, name);
      const used = usedOf(name, pod, node);
      if (total === 0 || used === undefined) continue;
      const score = scoreAt(used > total ? maxScore : Math.trunc((used * maxScore) / total));
      if (score <= 0) continue;
      sum += score * weight;
      weights += weight;
    }
    return weights === 0 ? 0 : Math.round(sum / weights);
  };
}

/** Defaults to cpu and memory; a missing weight means one. */
function weighed(resources: readonly WeightedResource[] = []): readonly Required<WeightedResource>[] {
  return (resources.length > 0 ? resources : cpuAndMemory).map(({ name, weight }) => ({ name, weight: weight || 1 }));
}

/** Piecewise linear interpolation. */
function brokenLine(shape: readonly { readonly utilization?: number; readonly score?: number }[]) {
  const points = shape.map(({ utilization = 0, score = 0 }) => ({
    at: utilization,
    score: (score * maxScore) / maxShapeScore,
  }));
  return (percent: number): number => {
    for (const [index, point] of points.entries()) {
      if (percent > point.at) continue;
      const before = points[index - 1];
      if (!before) return point.score;
      const rise = (point.score - before.score) * (percent - before.at);
      return before.score + Math.trunc(rise / (point.at - before.at));
    }
    return points.at(-1)?.score ?? 0;
  };
}

/** The utilization of a resource with the pod; `undefined` for special resources that the pod does not request. */
function usedOf(name: string, { requests, presumed }: PodInfo, node: NodeInfo): number | undefined {
  if (name === 'cpu') return node.presumed.milliCpu + presumed.milliCpu;
  if (name === 'memory') return node.presumed.memory + presumed.memory;
  const requested = amountOf(requests, name);
  if (requested === 0 && name !== 'ephemeral-storage') return undefined;
  return amountOf(node.requested, name) + requested;
}

export function amountOf(resource: Resource, name: string): number {
  if (name === 'cpu') return resource.milliCpu;
  if (name === 'memory') return resource.memory;
  if (name === 'ephemeral-storage') return resource.ephemeralStorage;
  return resource.scalar.get(name) ?? 0;
}

function freeShare(total: number, used: number): number {
  return used > total ? 0 : Math.trunc(((total - used) * maxScore) / total);
}

/** A node with more requests than capacity counts as full. */
function usedShare(total: number, used: number): number {
  return Math.trunc((Math.min(used, total) * maxScore) / total);
}
