import type { StrategyTable } from '../strategy.js';
import { flowSchemaStrategy, priorityLevelStrategy } from './mandatory-spec.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  flowschemas: flowSchemaStrategy,
  prioritylevelconfigurations: priorityLevelStrategy,
};
