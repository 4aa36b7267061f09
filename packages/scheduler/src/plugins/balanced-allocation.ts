import type { Resource } from '../cache/resource.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import { maxScore, type PreScorePlugin, type ScorePlugin } from '../framework/plugin.js';
import { amountOf } from './resource-scoring.js';

const cpuAndMemory = [{ name: 'cpu' }, { name: 'memory' }];

/**
 * Prefers nodes where the pod makes the use of resources, cpu and memory unless others are named, more alike, so that
 * none runs out while another is idle. A node that it leaves as balanced as it was scores 75; the score moves by half
 * of the change.
 */
export function balancedAllocation({
  resources = [],
}: PluginArguments['NodeResourcesBalancedAllocation'] = {}): PreScorePlugin & ScorePlugin {
  const names = (resources.length > 0 ? resources : cpuAndMemory).map(({ name }) => name);
  const isUsual = names.length === 2 && names[0] === 'cpu' && names[1] === 'memory';
  return {
    name: 'NodeResourcesBalancedAllocation',

    /** A pod without requests changes no balance. */
    preScore: (_state, { requests }) => (names.every((name) => amountOf(requests, name) === 0) ? 'skip' : undefined),

    score(_state, { requests }, { allocatable, requested }) {
      if (isUsual && allocatable.milliCpu !== 0 && allocatable.memory !== 0)
        return usualScore(requests, allocatable, requested);
      const before = balance(names, allocatable, requested);
      const after = balance(names, allocatable, requested, requests);
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

/**
 * 100 for equal shares, reduced by their standard deviation: with two resources, down to 50 if one is fully used and
 * the other free. Resources that the node does not have are ignored. `added` is used too. Runs twice for every node
 * that a pod fits on, so it allocates no objects.
 */
function balance(names: readonly string[], total: Resource, used: Resource, added?: Resource): number {
  let count = 0;
  let sum = 0;
  let squares = 0;
  let least = 1;
  let most = 0;
  for (const name of names) {
    const there = amountOf(total, name);
    if (there === 0) continue;
    const inUse = amountOf(used, name) + (added ? amountOf(added, name) : 0);
    const share = Math.min(1, inUse / there);
    count++;
    sum += share;
    squares += share * share;
    least = Math.min(least, share);
    most = Math.max(most, share);
  }
  if (count < 2) return maxScore;
  // Of two values it is half their distance, to the last digit.
  const deviation = count === 2 ? (most - least) / 2 : Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
  return Math.trunc((1 - deviation) * maxScore);
}
