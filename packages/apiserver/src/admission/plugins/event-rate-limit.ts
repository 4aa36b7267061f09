import type { Event } from '@coracle/api';
import { tooManyRequests } from '@coracle/apimachinery';
import { type Clock, type Millis, RecentMap } from '@coracle/base';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** The attribute by which events are counted. */
const keys: Readonly<Record<string, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject: about } = object as Event;
    return [source?.component, source?.host, about?.kind, about?.namespace, about?.name, about?.uid, about?.apiVersion]
      .map((part) => part ?? '')
      .join('');
  },
};

export interface EventLimit {
  readonly type: string;
  /** Events per second. */
  readonly qps: number;
  readonly burst: number;
  /** Number of entries in the LRU cache of counters. */
  readonly cacheSize?: number;
}

const usualCacheSize = 4096;
const retryAfterSeconds = 1;

/** Limits the rate at which events are stored. */
export function eventRateLimit(
  { clock }: { readonly clock: Clock },
  { limits }: { readonly limits: readonly EventLimit[] },
): AdmissionPlugin {
  const checks = limits.map((limit) => new LimitByKey(limit, clock));
  return {
    name: 'EventRateLimit',
    handles: ({ operation, kind }) => (operation === 'CREATE' || operation === 'UPDATE') && kind.kind === 'Event',
    validate(attributes) {
      // Each limit counts the event, even if another rejects it.
      const refusals = checks.map((check) => check.refusal(attributes)).filter((message) => message !== undefined);
      const last = refusals.at(-1);
      if (last !== undefined) throw tooManyRequests(last, retryAfterSeconds);
    },
  };
}

interface Bucket {
  tokens: number;
  filledAt: Millis;
}

class LimitByKey {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  readonly #keyOf: (attributes: AdmissionAttributes) => string;
  readonly #buckets: RecentMap<string, Bucket>;

  constructor(limit: EventLimit, clock: Clock) {
    const keyOf = keys[limit.type];
    if (!keyOf) throw new Error(`EventRateLimit: there is no type of limit named ${JSON.stringify(limit.type)}`);
    if (!(limit.qps > 0) || !(limit.burst > 0)) throw new Error('EventRateLimit: qps and burst must be positive');
    this.#limit = limit;
    this.#clock = clock;
    this.#keyOf = keyOf;
    this.#buckets = new RecentMap(limit.cacheSize || usualCacheSize);
  }

  refusal(attributes: AdmissionAttributes): string | undefined {
    const key = this.#keyOf(attributes);
    const bucket = this.#bucketOf(key);
    const { qps, burst, type } = this.#limit;
    const now = this.#clock.now();
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * qps);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return `limit reached on type ${type} for key ${key}`;
    bucket.tokens--;
    return undefined;
  }

  #bucketOf(key: string): Bucket {
    const found = this.#buckets.get(key);
    if (found) return found;
    const bucket = { tokens: this.#limit.burst, filledAt: this.#clock.now() };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
