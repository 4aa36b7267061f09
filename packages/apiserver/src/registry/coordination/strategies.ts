import type { StrategyTable } from '../strategy.js';
import { leaseStrategy } from './lease.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  leases: leaseStrategy,
};
