import { apiVersionOf, type KubeObject, type ObjectKey, type ResourceRef } from '@coracle/apimachinery';
import type { RateLimitingWorkQueue, SharedInformer } from '@coracle/client';
import type { CacheReadOptions, ObjectCache } from './cache/object-cache.js';
import { type EventHandler, enqueueObject } from './event-handler.js';
import { allOf, type Predicate } from './predicate.js';
import { lowPriority, type RequestQueue, requestQueue } from './request-queue.js';
import { isRepetition, type SourceEvent } from './source-event.js';

/** A source of events. It belongs to one controller, which starts it once. */
export interface Source {
  /** For logs. */
  readonly name: string;
  /** Starts to deliver events, until `signal` aborts. Later failures are passed to `failed`. */
  start(queue: RateLimitingWorkQueue<ObjectKey>, signal: AbortSignal, failed: (error: unknown) => void): void;
  /** Resolves when every object of the initial list has been delivered. */
  synced?(): Promise<void>;
}

/** The handlers of a source's events. */
export interface SourceOptions<T extends KubeObject> {
  /** The object itself unless stated. */
  readonly handler?: EventHandler<T> | undefined;
  readonly predicates?: readonly Predicate<T>[] | undefined;
}

/** Every change of a resource, from the manager's cache. */
export function kindSource<T extends KubeObject>(
  options: SourceOptions<T> & CacheReadOptions & { readonly cache: ObjectCache; readonly ref: ResourceRef<T> },
): Source {
  const { cache, ref, metadataOnly } = options;
  let informer: SharedInformer<T> | undefined;
  const open = () => (informer ??= cache.informerFor(ref, { ...(metadataOnly && { metadataOnly }) }));
  return {
    name: `kind ${ref.kind}.${apiVersionOf(ref)}`,
    start: (...args) => informerSource(open(), { ...options, resyncMs: cache.resyncMs() }).start(...args),
    synced: () => open().synced(),
  };
}

/** Every change that an informer of your own sees. */
export function informerSource<T extends KubeObject>(
  informer: SharedInformer<T>,
  { handler = enqueueObject, predicates = [], resyncMs }: SourceOptions<T> & { readonly resyncMs?: number } = {},
): Source {
  const passes = allOf(...predicates);
  return {
    name: 'informer',
    start(queue, signal) {
      const deliver = deliveryTo(queue, handler);
      const registration = informer.addHandler(
        (event) => {
          if (passes(event)) deliver(event);
        },
        resyncMs ? { resyncMs } : {},
      );
      signal.addEventListener('abort', () => registration[Symbol.dispose](), { once: true });
    },
    synced: () => informer.synced(),
  };
}

/**
 * Events outside the cluster: each object is delivered as a `generic` event. An object whose handler throws is skipped;
 * nothing is delivered after the channel itself has failed.
 */
export function channelSource<T extends KubeObject>(
  objects: AsyncIterable<T>,
  { handler = enqueueObject, predicates = [] }: SourceOptions<T> = {},
): Source {
  const passes = allOf(...predicates);
  return {
    name: 'channel',
    start(queue, signal, failed) {
      const deliver = deliveryTo(queue, handler);
      const iterator = objects[Symbol.asyncIterator]();
      signal.addEventListener('abort', () => void iterator.return?.().catch(failed), { once: true });
      const tell = (event: SourceEvent<T>) => {
        try {
          if (passes(event)) deliver(event);
        } catch (error) {
          failed(error);
        }
      };
      const pump = async () => {
        for (let next = await iterator.next(); !next.done && !signal.aborted; next = await iterator.next())
          tell({ type: 'generic', object: next.value });
      };
      void pump().catch(failed);
    },
  };
}

/** Anything that can call a function. */
export function functionSource(start: (queue: RequestQueue, signal: AbortSignal) => void): Source {
  return { name: 'function', start: (queue, signal) => start(requestQueue(queue), signal) };
}

/** Repeated states wait behind new ones. */
function deliveryTo<T extends KubeObject>(
  queue: RateLimitingWorkQueue<ObjectKey>,
  handler: EventHandler<T>,
): (event: SourceEvent<T>) => void {
  const news = requestQueue(queue);
  const repetitions = requestQueue(queue, lowPriority);
  return (event) => handler(event, isRepetition(event) ? repetitions : news);
}
