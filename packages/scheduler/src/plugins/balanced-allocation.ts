import { maxScore, type PreScorePlugin, type ScorePlugin } from '../framework/plugin.js';

/**
 * Prefers nodes where the pod makes the use of cpu and memory more alike, so that neither runs out while the
 * other lies idle. A node that it leaves as balanced as it was scores 75; the score moves by half of the change.
 */
export const balancedAllocation: PreScorePlugin & ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',

  /** A pod that asks for nothing changes no balance. */
  preScore: (_state, { requests }) => (requests.milliCpu === 0 && requests.memory === 0 ? 'skip' : undefined),

  score(_state, { requests }, { allocatable, requested }) {
    const before = balance(allocatable, requested);
    const after = balance(allocatable, {
      milliCpu: requested.milliCpu + requests.milliCpu,
      memory: requested.memory + requests.memory,
    });
    return maxScore / 2 + Math.trunc((maxScore / 2 + after - before) / 2);
  },
};

interface Used {
  readonly milliCpu: number;
  readonly memory: number;
}

/** 100 for two equal shares, down to 50 for one that is all used beside one that is free. */
function balance(total: Used, used: Used): number {
  if (total.milliCpu === 0 || total.memory === 0) return maxScore;
  const cpu = Math.min(1, used.milliCpu / total.milliCpu);
  const memory = Math.min(1, used.memory / total.memory);
  // The standard deviation of two values is half their distance.
  return Math.trunc((1 - Math.abs(cpu - memory) / 2) * maxScore);
}
