import { type Clock, type Millis, RecentMap } from '@coracle/base';

/** Clients choose the keys, so the number of cached ones is limited: twice this many at most. */
const mostAnswers = 1024;
const longestKey = 8192;
/** Time after which a lookup that has not ended is repeated. */
const lookupMs: Millis = 10_000;

interface Answer<T> {
  until: Millis;
  readonly value: Promise<T>;
}

/** A cache with a TTL. Concurrent lookups of one key are made once. */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlOf: (value: T) => Millis;
  readonly #answers = new RecentMap<string, Answer<T>>(mostAnswers);

  constructor(clock: Clock, ttlMs: Millis | ((value: T) => Millis)) {
    this.#clock = clock;
    this.#ttlOf = typeof ttlMs === 'number' ? () => ttlMs : ttlMs;
  }

  async get(key: string, find: () => Promise<T>): Promise<T> {
    if (key.length > longestKey) return await find();
    const now = this.#clock.now();
    const present = this.#answers.get(key);
    if (present && present.until > now) return await present.value;
    const answer: Answer<T> = { until: now + lookupMs, value: find() };
    this.#answers.set(key, answer);
    try {
      const found = await answer.value;
      answer.until = now + this.#ttlOf(found);
      return found;
    } catch (error) {
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
      throw error;
    }
  }
}
