import { describe } from 'vitest';
import { describeCompaction } from './store-compaction.js';
import type { MakeStore } from './store-harness.js';
import { describeLeases } from './store-leases.js';
import { describeReads } from './store-reads.js';
import { describeTransactions } from './store-transactions.js';
import { describeWatches } from './store-watches.js';

/** Requirements on every implementation of `Store`. */
export function describeStore(name: string, makeStore: MakeStore): void {
  describe(`store contract: ${name}`, () => {
    describeReads(makeStore);
    describeTransactions(makeStore);
    describeWatches(makeStore);
    describeLeases(makeStore);
    describeCompaction(makeStore);
  });
}
