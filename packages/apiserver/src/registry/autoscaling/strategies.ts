import { dropFieldsOf } from '../disabled-fields.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  horizontalpodautoscalers: {
    dropDisabled: dropFieldsOf({
      HPAConfigurableTolerance: ['spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance'],
    }),
  },
};
