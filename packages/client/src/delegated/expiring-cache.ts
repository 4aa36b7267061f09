import type { Clock, Millis } from '@coracle/base';

/** Answers that hold for a while. Concurrent lookups of one key are made once. */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: Millis;
  readonly #answers = new Map<string, { readonly until: Millis; readonly value: Promise<T> }>();

  constructor(clock: Clock, ttlMs: Millis) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  async get(key: string, find: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const present = this.#answers.get(key);
    if (present && present.until > now) return present.value;
    for (const [old, { until }] of this.#answers) if (until <= now) this.#answers.delete(old);
    const value = find();
    this.#answers.set(key, { until: now + this.#ttlMs, value });
    try {
      return await value;
    } catch (error) {
      if (this.#answers.get(key)?.value === value) this.#answers.delete(key);
      throw error;
    }
  }
}
