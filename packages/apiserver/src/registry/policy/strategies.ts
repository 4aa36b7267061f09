import type { Strategy } from '../strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  poddisruptionbudgets: { hasGeneration: true, allowUnconditionalUpdate: false },
};
