import { messageOf } from '@coracle/base';
import type { WatchListener } from './store.js';
import { StoreError } from './store-error.js';

/**
 * Isolates the store from its listener: one that throws loses its watch. `end` closes the watch at once; the listener
 * is notified by `onError` in a later step, outside the commit.
 */
export function guardListener(listener: WatchListener, end: () => void): WatchListener {
  const guarded = (call: () => void): void => {
    try {
      call();
    } catch (cause) {
      end();
      queueMicrotask(() => tellLoss(listener, cause));
    }
  };
  return {
    onEvents: (events, revision) => guarded(() => listener.onEvents(events, revision)),
    onProgress: (revision) => guarded(() => listener.onProgress?.(revision)),
    onError: (error) => guarded(() => listener.onError(error)),
  };
}

function tellLoss(listener: WatchListener, cause: unknown): void {
  try {
    listener.onError(
      new StoreError('Unavailable', `the watch ended: its listener threw: ${messageOf(cause)}`, { cause }),
    );
  } catch {
    // Its watch has ended already, and no other listener has to be notified.
  }
}
