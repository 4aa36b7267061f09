import { type KubeObject, StatusError, type WatchEvent } from '@coracle/apimachinery';
import { Backoff, type Clock, type Random, sleep } from '@coracle/base';
import type { ResourceClient, WatchOptions } from '../resource-client.js';
import { mayPass } from '../retry/retry.js';

/** Of a watch that continues: what it follows, and from where. */
export interface ResumingWatchOptions extends WatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Where to begin: the version of a list. */
  readonly resourceVersion: string;
}

/**
 * A watch that continues: when it ends, or breaks, another takes it up at the last version seen, so that every change
 * comes once. Bookmarks are used and not passed on. It ends only by leaving the loop, by its signal, or with the
 * failure that the version is too old, after which one must list again (or use an informer, which does).
 */
export async function* resumingWatch<T extends KubeObject>(
  resource: ResourceClient<T>,
  { clock, random, ...options }: ResumingWatchOptions,
): AsyncIterable<WatchEvent<T>> {
  const backoff = new Backoff({ initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1 }, random);
  let { resourceVersion } = options;
  for (;;) {
    try {
      for await (const event of resource.watch({ ...options, resourceVersion, allowWatchBookmarks: true })) {
        if (event.type === 'ERROR') throw new StatusError(event.object);
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        backoff.reset();
        if (event.type !== 'BOOKMARK') yield event;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!mayPass(error)) throw error;
    }
    await sleep(clock, backoff.next(), options.signal);
  }
}
