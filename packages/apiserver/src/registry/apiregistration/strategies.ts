import { clientMetadata } from '../keep-metadata.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  apiservices: { allowUnconditionalUpdate: false, statusKeeps: clientMetadata },
};
