import type { StrategyTable } from '../strategy.js';
import { endpointSliceStrategy } from './endpoint-slice.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  endpointslices: endpointSliceStrategy,
};
