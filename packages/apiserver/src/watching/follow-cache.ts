import type { CacheEvent } from './cache-event.js';
import type { WatchCache } from './watch-cache.js';

/**
 * What a part of the server does about changes of a resource. An event that it throws at counts as missed; what
 * `onReload` throws is logged.
 */
export interface CacheFollower {
  onEvent(event: CacheEvent): void;
  /** Events have been missed, and the cache has been read again: look at everything. */
  onReload(): void;
}

/** Follows a resource for a part of the server, which unlike a client is not restarted after a gap. */
export function followCache(cache: WatchCache, follower: CacheFollower): Disposable {
  let isOver = false;
  const open = (): Disposable =>
    cache.watch({ kind: 'all' }, { onEvent: (event) => follower.onEvent(event), onEnd: () => void resume() });
  let watch = open();
  const resume = async (): Promise<void> => {
    watch[Symbol.dispose]();
    await Promise.resolve();
    while (cache.loading !== undefined) await cache.loading;
    if (isOver || cache.isClosed) return;
    watch = open();
    try {
      follower.onReload();
    } catch (error) {
      cache.logger.error('a reload could not be followed', { prefix: cache.options.prefix, error });
    }
  };
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      watch[Symbol.dispose]();
    },
  };
}
