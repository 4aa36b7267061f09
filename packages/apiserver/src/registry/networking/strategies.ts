import { clientMetadata } from '../keep-metadata.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  ingressclasses: { hasGeneration: true },
  ingresses: { hasGeneration: true },
  networkpolicies: { hasGeneration: true },
  servicecidrs: { statusKeeps: clientMetadata },
};
