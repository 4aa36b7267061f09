import type { StrategyTable } from '../strategy.js';
import { leaseStrategy } from './lease.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  leases: leaseStrategy,
};
