import type { Clock, Millis } from '@coracle/base';

/** Answers that hold for a while. Concurrent lookups of one key are made once. */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlOf: (value: T) => Millis;
  readonly #answers = new Map<string, { until: Millis; readonly value: Promise<T> }>();

  constructor(clock: Clock, ttlMs: Millis | ((value: T) => Millis)) {
    this.#clock = clock;
    this.#ttlOf = typeof ttlMs === 'number' ? () => ttlMs : ttlMs;
  }

  async get(key: string, find: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const present = this.#answers.get(key);
    if (present && present.until > now) return present.value;
    for (const [old, { until }] of this.#answers) if (until <= now) this.#answers.delete(old);
    const value = find();
    const answer = { until: Number.POSITIVE_INFINITY, value };
    this.#answers.set(key, answer);
    try {
      const found = await value;
      answer.until = now + this.#ttlOf(found);
      return found;
    } catch (error) {
      if (this.#answers.get(key)?.value === value) this.#answers.delete(key);
      throw error;
    }
  }
}
