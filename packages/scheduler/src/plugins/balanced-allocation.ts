import { maxScore, type PreScorePlugin, type ScorePlugin } from '../framework/plugin.js';

/** Prefers nodes where cpu and memory would be used to a like degree, so that neither runs out while the other lies idle. */
export const balancedAllocation: PreScorePlugin & ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',

  /** A pod that asks for nothing changes no balance. */
  preScore: (_state, { requests }) => (requests.milliCpu === 0 && requests.memory === 0 ? 'skip' : undefined),

  score(_state, { requests }, { allocatable, requested }) {
    const cpu = usedShare(allocatable.milliCpu, requested.milliCpu + requests.milliCpu);
    const memory = usedShare(allocatable.memory, requested.memory + requests.memory);
    if (cpu === undefined || memory === undefined) return maxScore;
    // The standard deviation of two values is half their distance.
    return Math.trunc((1 - Math.abs(cpu - memory) / 2) * maxScore);
  },
};

function usedShare(total: number, used: number): number | undefined {
  return total === 0 ? undefined : Math.min(1, used / total);
}
