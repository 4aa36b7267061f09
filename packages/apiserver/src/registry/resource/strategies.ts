import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';
import { resourceSliceStrategy } from './resource-slice.strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  deviceclasses: { hasGeneration: true },
  resourceclaims: { canonicalize: nullEmptyLists('spec.devices.requests') },
  resourceslices: resourceSliceStrategy,
};
