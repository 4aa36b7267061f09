import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  clusterrolebindings: { allowCreateOnUpdate: true },
  clusterroles: { allowCreateOnUpdate: true, canonicalize: nullEmptyLists('rules') },
  rolebindings: { allowCreateOnUpdate: true },
  roles: { allowCreateOnUpdate: true, canonicalize: nullEmptyLists('rules') },
};
