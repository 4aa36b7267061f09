import type { StrategyTable } from '../strategy.js';
import { endpointSliceStrategy } from './endpoint-slice.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  endpointslices: endpointSliceStrategy,
};
