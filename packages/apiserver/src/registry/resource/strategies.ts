import type { StrategyTable } from '../strategy.js';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.strategy.js';
import { resourceSliceStrategy } from './resource-slice.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  deviceclasses: { hasGeneration: true },
  resourceclaims: resourceClaimStrategy,
  resourceclaimtemplates: resourceClaimTemplateStrategy,
  resourceslices: resourceSliceStrategy,
};
