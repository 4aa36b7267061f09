import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  poddisruptionbudgets: { hasGeneration: true, allowUnconditionalUpdate: false },
};
