import type { StrategyTable } from '../strategy.js';
import { flowSchemaStrategy, priorityLevelStrategy } from './mandatory-spec.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  flowschemas: flowSchemaStrategy,
  prioritylevelconfigurations: priorityLevelStrategy,
};
