import type { StrategyTable } from '../strategy.js';
import { podGroupStrategy, workloadStrategy } from './pod-group.strategy.js';
import { priorityClassStrategy } from './priority-class.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  podgroups: podGroupStrategy,
  priorityclasses: priorityClassStrategy,
  workloads: workloadStrategy,
};
