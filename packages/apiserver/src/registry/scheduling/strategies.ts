import type { StrategyTable } from '../strategy.js';
import { priorityClassStrategy } from './priority-class.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  priorityclasses: priorityClassStrategy,
};
