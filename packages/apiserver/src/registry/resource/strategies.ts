import { nullEmptyLists } from '../null-empty-lists.js';
import type { StrategyTable } from '../strategy.js';
import { resourceSliceStrategy } from './resource-slice.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  deviceclasses: { hasGeneration: true },
  resourceclaims: { canonicalize: nullEmptyLists('spec.devices.requests') },
  resourceslices: resourceSliceStrategy,
};
