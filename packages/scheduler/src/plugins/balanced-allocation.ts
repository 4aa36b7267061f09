import type { Resource } from '../cache/resource.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import { maxScore, type PreScorePlugin, type ScorePlugin } from '../framework/plugin.js';
import { amountOf } from './resource-scoring.js';

const cpuAndMemory = [{ name: 'cpu' }, { name: 'memory' }];

/**
 * Prefers nodes where the pod balances the utilization of resources (cpu and memory unless configured). A node whose
 * balance the pod does not change scores 75; half of the change is added.
 */
export function balancedAllocation({
  resources = [],
}: PluginArguments['NodeResourcesBalancedAllocation'] = {}): PreScorePlugin & ScorePlugin {
  const names = (resources.length > 0 ? resources : cpuAndMemory).map(({ name }) => name);
  const isUsual = names.length === 2 && names[0] === 'cpu' && names[1] === 'memory';
  return {
    name: 'NodeResourcesBalancedAllocation',
    isNodeLocal: true,

    /** A pod without requests does not change the balance. */
    preScore: (_state, { requests }) => (names.every((name) => amountOf(requests, name) === 0) ? 'skip' : undefined),

    score(_state, { requests }, { allocatable, requested }) {
      if (isUsual && allocatable.milliCpu !== 0 && allocatable.memory !== 0)
        return usualScore(requests, allocatable, requested);
      const shares = { names: names.filter((name) => counts(name, requests)), total: allocatable, used: requested };
      const before = balance(shares);
      const after = balance(shares, requests);
      return maxScore / 2 + Math.trunc((maxScore / 2 + after - before) / 2);
    },
  };
}

/** The same for cpu and memory of a node that has both, which is nearly every node. */
function usualScore(requests: Resource, total: Resource, used: Resource): number {
  const before = balanceOfTwo(used.milliCpu / total.milliCpu, used.memory / total.memory);
  const cpu = (used.milliCpu + requests.milliCpu) / total.milliCpu;
  const memory = (used.memory + requests.memory) / total.memory;
  return maxScore / 2 + Math.trunc((maxScore / 2 + balanceOfTwo(cpu, memory) - before) / 2);
}

function balanceOfTwo(one: number, other: number): number {
  return Math.trunc((1 - Math.abs(Math.min(1, one) - Math.min(1, other)) / 2) * maxScore);
}

/** Special resources count for pods that request them. */
function counts(name: string, requests: Resource): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || amountOf(requests, name) > 0;
}

/** The utilization of each resource on a node before the pod. */
interface Shares {
  readonly names: readonly string[];
  readonly total: Resource;
  readonly used: Resource;
}

/**
 * 100 for equal utilization, less by the standard deviation: for two resources down to 50, if one is used up and the
 * other is free. Resources that the node does not have are ignored. `added` is the additional usage.
 */
function balance({ names, total, used }: Shares, added?: Resource): number {
  const shares = names.flatMap((name) => {
    const there = amountOf(total, name);
    return there === 0 ? [] : [Math.min(1, (amountOf(used, name) + (added ? amountOf(added, name) : 0)) / there)];
  });
  const [first = 0, second = 0] = shares;
  if (shares.length < 2) return maxScore;
  return shares.length === 2 ? balanceOfTwo(first, second) : Math.trunc((1 - deviation(shares)) * maxScore);
}

function deviation(shares: readonly number[]): number {
  const mean = sum(shares) / shares.length;
  return Math.sqrt(sum(shares.map((share) => (share - mean) * (share - mean))) / shares.length);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
