import type { corev1 } from '@coracle/api';
import { type Clock, type Millis, RecentMap } from '@coracle/base';
import { BucketRateLimiter } from '../workqueue/rate-limiter.js';

const usualCacheSize = 4096;
/** Number of different messages for one reason in one interval from which they are combined into one event. */
const similarEvents = 10;
const similarIntervalMs: Millis = 600_000;
/** For each source and object: a burst, then one event in five minutes. */
const spam = { burst: 25, perSecond: 1 / 300 };

export type Correlated =
  | { readonly kind: 'create'; readonly event: corev1.Event; readonly key: string }
  /** The event exists already; `patch` increments its count. */
  | { readonly kind: 'patch'; readonly event: corev1.Event; readonly patch: object; readonly key: string }
  | { readonly kind: 'spam' };

interface Similar {
  readonly messages: Set<string>;
  lastAt: Millis;
}

interface Written {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  count: number;
}

/**
 * Keeps events from flooding the server, as every Kubernetes component does: equal events are counted in one, many
 * similar events are combined, and sources are rate-limited per object.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar: RecentMap<string, Similar>;
  readonly #written: RecentMap<string, Written>;
  readonly #buckets: RecentMap<string, BucketRateLimiter>;

  constructor(clock: Clock, cacheSize: number = usualCacheSize) {
    this.#clock = clock;
    this.#similar = new RecentMap(Math.ceil(cacheSize / 2));
    this.#written = new RecentMap(Math.ceil(cacheSize / 2));
    this.#buckets = new RecentMap(Math.ceil(cacheSize / 2));
  }

  correlate(event: corev1.Event): Correlated {
    const { event: aggregated, key } = this.#aggregate(event);
    const result = this.#count(aggregated, key);
    return this.#allowed(event) ? result : { kind: 'spam' };
  }

  /** Drops the entry of `key` after its event was not found. */
  forget(key: string): void {
    this.#written.delete(key);
  }

  #aggregate(event: corev1.Event): { readonly event: corev1.Event; readonly key: string } {
    const group = similarKey(event);
    const now = this.#clock.now();
    let similar = this.#similar.get(group);
    if (!similar || now - similar.lastAt > similarIntervalMs) similar = { messages: new Set(), lastAt: now };
    similar.messages.add(event.message ?? '');
    similar.lastAt = now;
    this.#similar.set(group, similar);
    if (similar.messages.size < similarEvents) return { event, key: `${group}\n${event.message}` };
    similar.messages.delete(event.message ?? '');
    return { event: { ...event, message: `(combined from similar events): ${event.message}` }, key: group };
  }

  #count(event: corev1.Event, key: string): Correlated {
    const written = this.#written.get(key);
    if (!written) {
      this.#written.set(key, { name: event.metadata.name ?? '', firstTimestamp: event.firstTimestamp, count: 1 });
      return { kind: 'create', event, key };
    }
    written.count++;
    const { count, name, firstTimestamp } = written;
    const { lastTimestamp, message } = event;
    const counted = {
      ...event,
      metadata: { ...event.metadata, name },
      count,
      ...(firstTimestamp && { firstTimestamp }),
    };
    return { kind: 'patch', event: counted, patch: { count, lastTimestamp, message }, key };
  }

  #allowed({ source, involvedObject: about }: corev1.Event): boolean {
    const parts = [
      source?.component,
      source?.host,
      about.kind,
      about.namespace,
      about.name,
      about.uid,
      about.apiVersion,
    ];
    const key = parts.join('\n');
    const bucket = this.#buckets.get(key) ?? new BucketRateLimiter({ clock: this.#clock, ...spam });
    this.#buckets.set(key, bucket);
    return bucket.take();
  }
}

function similarKey({ source, involvedObject: about, type, reason, ...event }: corev1.Event): string {
  const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion, about.fieldPath];
  const reporter = [source?.component, source?.host, event.reportingComponent, event.reportingInstance];
  return [...reporter, ...object, type, reason].join('\n');
}
