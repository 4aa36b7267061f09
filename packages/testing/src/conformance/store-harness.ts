import type { Store } from '@coracle/store';

/** An empty store to be tested, and the time that it lives by. */
export interface StoreHarness extends AsyncDisposable {
  readonly store: Store;
  /** Lets time pass as the store sees it: a virtual clock is moved, a real one waited for. */
  passTime(ms: number): Promise<void>;
}

export type MakeStore = () => Promise<StoreHarness>;
