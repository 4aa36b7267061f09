import type { StrategyTable } from '../strategy.js';
import { certificateSigningRequestStrategy } from './certificate-signing-request.strategy.js';

/** Resource → what it does differently. */
export const strategies: StrategyTable = {
  certificatesigningrequests: certificateSigningRequestStrategy,
};
