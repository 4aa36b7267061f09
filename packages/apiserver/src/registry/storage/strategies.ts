import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';
import { csiDriverStrategy } from './csi-driver.strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  csidrivers: csiDriverStrategy,
  csinodes: {
    allowUnconditionalUpdate: false,
    canonicalize: nullEmptyLists('spec.drivers', 'spec.drivers.topologyKeys'),
  },
  csistoragecapacities: { allowUnconditionalUpdate: false },
  volumeattachments: { allowUnconditionalUpdate: false },
};
