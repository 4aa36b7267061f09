import type { Store } from '@coracle/store';
import { describe } from 'vitest';
import { describeCompaction } from './store-compaction.js';
import { describeLeases } from './store-leases.js';
import { describeReads } from './store-reads.js';
import { describeTransactions } from './store-transactions.js';
import { describeWatches } from './store-watches.js';

/** A store to be tested, empty but for what the harness cannot help, and the time that it lives by. */
export interface StoreHarness extends AsyncDisposable {
  readonly store: Store;
  /** Lets time pass as the store sees it: a virtual clock is moved, a real one waited for. */
  passTime(ms: number): Promise<void>;
}

export type MakeStore = () => Promise<StoreHarness>;

/** What every implementation of `Store` does. */
export function describeStore(name: string, makeStore: MakeStore): void {
  describe(`store contract: ${name}`, () => {
    describeReads(makeStore);
    describeTransactions(makeStore);
    describeWatches(makeStore);
    describeLeases(makeStore);
    describeCompaction(makeStore);
  });
}
