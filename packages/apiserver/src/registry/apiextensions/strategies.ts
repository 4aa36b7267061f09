import type { StrategyTable } from '../strategy.js';
import { customResourceDefinitionStrategy } from './custom-resource-definition.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  customresourcedefinitions: customResourceDefinitionStrategy,
};
