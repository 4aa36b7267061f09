import { clientMetadata } from '../keep-metadata.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  mutatingadmissionpolicies: { hasGeneration: true, allowUnconditionalUpdate: false },
  mutatingadmissionpolicybindings: { hasGeneration: true, allowUnconditionalUpdate: false },
  mutatingwebhookconfigurations: { hasGeneration: true, allowUnconditionalUpdate: false },
  validatingadmissionpolicies: { hasGeneration: true, allowUnconditionalUpdate: false, statusKeeps: clientMetadata },
  validatingadmissionpolicybindings: { hasGeneration: true, allowUnconditionalUpdate: false },
  validatingwebhookconfigurations: { hasGeneration: true, allowUnconditionalUpdate: false },
};
