import type { StrategyTable } from '../strategy.js';
import { certificateSigningRequestStrategy } from './certificate-signing-request.strategy.js';
import { podCertificateRequestStrategy } from './pod-certificate-request.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  certificatesigningrequests: certificateSigningRequestStrategy,
  podcertificaterequests: podCertificateRequestStrategy,
};
