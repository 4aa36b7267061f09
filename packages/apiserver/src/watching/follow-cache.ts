import type { CacheEvent } from './cache-event.js';
import type { WatchCache } from './watch-cache.js';

/**
 * Handlers of a component of the server for changes of a resource. An event whose handler throws counts as missed;
 * errors of `onReload` are logged.
 */
export interface CacheFollower {
  onEvent(event: CacheEvent): void;
  /** Events have been missed, and the cache has been reloaded: process all objects. */
  onReload(): void;
}

/** Follows a resource for a component of the server, which unlike a client is not restarted after a gap. */
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
