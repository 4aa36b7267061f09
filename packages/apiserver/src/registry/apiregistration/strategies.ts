import { clientMetadata } from '../keep-metadata.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  apiservices: { allowUnconditionalUpdate: false, statusKeeps: clientMetadata },
};
