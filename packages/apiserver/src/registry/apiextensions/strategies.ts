import type { StrategyTable } from '../strategy.js';
import { customResourceDefinitionStrategy } from './custom-resource-definition.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  customresourcedefinitions: customResourceDefinitionStrategy,
};
