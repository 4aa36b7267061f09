import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {};
