import type { Millis } from '@coracle/base';

/** Missing names, with the time since when. */
export class Quarantine {
  readonly #since = new Map<string, Millis>();
  readonly #periodMs: Millis;

  constructor(periodMs: Millis) {
    this.#periodMs = periodMs;
  }

  /** Records the names that are missing now, and returns those that have been missing for long enough. */
  update(missing: readonly string[], now: Millis): string[] {
    const current = new Set(missing);
    for (const name of this.#since.keys()) if (!current.has(name)) this.#since.delete(name);
    for (const name of current) if (!this.#since.has(name)) this.#since.set(name, now);
    return [...this.#since].filter(([, since]) => now - since >= this.#periodMs).map(([name]) => name);
  }
}
