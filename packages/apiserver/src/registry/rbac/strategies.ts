import { nullEmptyLists } from '../null-empty-lists.js';
import type { StrategyTable } from '../strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  clusterrolebindings: { allowCreateOnUpdate: true },
  clusterroles: { allowCreateOnUpdate: true, canonicalize: nullEmptyLists('rules') },
  rolebindings: { allowCreateOnUpdate: true },
  roles: { allowCreateOnUpdate: true, canonicalize: nullEmptyLists('rules') },
};
