import type { StrategyTable } from '../strategy.js';
import { dropDisabledClassFields } from './disabled-device-fields.js';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.strategy.js';
import { resourceSliceStrategy } from './resource-slice.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  deviceclasses: { hasGeneration: true, dropDisabled: dropDisabledClassFields },
  resourceclaims: resourceClaimStrategy,
  resourceclaimtemplates: resourceClaimTemplateStrategy,
  resourceslices: resourceSliceStrategy,
};
