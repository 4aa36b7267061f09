import { type KubeObject, StatusError, type WatchEvent } from '@coracle/apimachinery';
import { Backoff, type Clock, type Random, sleep } from '@coracle/base';
import type { ResourceClient, WatchOptions } from '../resource-client.js';
import { mayPass } from '../retry/retry.js';

/** Options of a watch that resumes. */
export interface ResumingWatchOptions extends WatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The first version: the resourceVersion of a list. */
  readonly resourceVersion: string;
}

/**
 * A watch that resumes: when it ends or breaks, a new watch continues at the last resourceVersion, so that every change
 * is delivered once. Bookmarks are used and not delivered. It ends only by leaving the loop, by its signal, or with an
 * error that the version is too old, after which one must list again (or use an informer, which does).
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
