import { type Store, StoreError, type StoreWatch, type WatchListener } from '@coracle/store';
import type { Faults } from './faults.js';
import { InTurn } from './in-turn.js';

/** A store that is slow, fails, loses responses and ends watches, like one behind a network. Events stay in order. */
export function faultyStore(store: Store, faults: Faults): Store {
  const call = <T>(run: () => Promise<T>) => faults.call(run, unavailable);
  return {
    get: (key, options) => call(() => store.get(key, options)),
    list: (prefix, options) => call(() => store.list(prefix, options)),
    count: (prefix) => call(() => store.count(prefix)),
    transact: (transaction) => call(() => store.transact(transaction)),
    currentRevision: () => call(() => store.currentRevision()),
    grantLease: (ttlSeconds) => call(() => store.grantLease(ttlSeconds)),
    revokeLease: (id) => call(() => store.revokeLease(id)),
    compact: (revision) => call(() => store.compact(revision)),
    watch: (prefix, from, listener) => faultyWatch((guarded) => store.watch(prefix, from, guarded), listener, faults),
    ...(store.sizeBytes && { sizeBytes: () => store.sizeBytes?.() ?? Promise.resolve(undefined) }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function unavailable(): StoreError {
  return new StoreError('Unavailable', 'injected fault');
}

function faultyWatch(
  open: (listener: WatchListener) => StoreWatch,
  listener: WatchListener,
  faults: Faults,
): StoreWatch {
  const inTurn = new InTurn(faults);
  let isOver = false;
  const take = (step: () => void) =>
    inTurn.take(() => {
      if (!isOver) step();
    });
  const watch = open({
    onEvents: (events, revision) =>
      take(() => {
        listener.onEvents(events, revision);
        // A watch that fails makes its owner wait before the next one: that is no mild fault.
        if (!canFail(faults) || !faults.happens('cut')) return;
        isOver = true;
        watch[Symbol.dispose]();
        listener.onError(unavailable());
      }),
    onProgress: (revision) => take(() => listener.onProgress?.(revision)),
    onError: (error) => take(() => listener.onError(error)),
  });
  return {
    requestProgress: () => watch.requestProgress(),
    [Symbol.dispose]: () => {
      isOver = true;
      watch[Symbol.dispose]();
    },
  };
}

function canFail({ rates }: Faults): boolean {
  return rates.fail > 0;
}
