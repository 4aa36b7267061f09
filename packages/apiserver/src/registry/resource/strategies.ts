import type { StrategyTable } from '../strategy.js';
import { deviceTaintRuleStrategy } from './device-taint-rule.strategy.js';
import { dropDisabledClassFields } from './disabled-device-fields.js';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.strategy.js';
import { resourceSliceStrategy } from './resource-slice.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  deviceclasses: { hasGeneration: true, dropDisabled: dropDisabledClassFields },
  devicetaintrules: deviceTaintRuleStrategy,
  resourceclaims: resourceClaimStrategy,
  resourceclaimtemplates: resourceClaimTemplateStrategy,
  resourceslices: resourceSliceStrategy,
};
