import type { Strategy } from '../strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  mutatingadmissionpolicies: { hasGeneration: true, allowUnconditionalUpdate: false },
  mutatingadmissionpolicybindings: { hasGeneration: true, allowUnconditionalUpdate: false },
  mutatingwebhookconfigurations: { hasGeneration: true, allowUnconditionalUpdate: false },
  validatingadmissionpolicies: { hasGeneration: true, allowUnconditionalUpdate: false },
  validatingadmissionpolicybindings: { hasGeneration: true, allowUnconditionalUpdate: false },
  validatingwebhookconfigurations: { hasGeneration: true, allowUnconditionalUpdate: false },
};
