import { clientMetadata } from '../keep-metadata.js';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { StrategyTable } from '../strategy.js';
import { csiDriverStrategy } from './csi-driver.strategy.js';

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  csidrivers: csiDriverStrategy,
  csinodes: {
    allowUnconditionalUpdate: false,
    canonicalize: nullEmptyLists('spec.drivers', 'spec.drivers.topologyKeys'),
  },
  csistoragecapacities: { allowUnconditionalUpdate: false },
  volumeattachments: { allowUnconditionalUpdate: false, statusKeeps: clientMetadata },
};
