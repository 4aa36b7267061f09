import { type Clock, type Millis, monotonicNow } from '@coracle/base';

const longestSeconds = 32;

/**
 * The `Retry-After` of rejected requests: it increases while a level continues to reject requests, and decreases
 * afterwards.
 */
export class RetryAfter {
  readonly #clock: Clock;
  readonly #levels = new Map<string, { seconds: number; since: Millis; rejected: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onRejection(level: string): number {
    const now = monotonicNow(this.#clock);
    const entry = this.#levels.get(level) ?? { seconds: 1, since: now, rejected: 0 };
    this.#levels.set(level, entry);
    const elapsed = now - entry.since;
    if (elapsed >= entry.seconds * 1000) {
      const isQuiet = elapsed >= 2 * entry.seconds * 1000 || entry.rejected < entry.seconds;
      entry.seconds = isQuiet
        ? Math.max(1, Math.floor(entry.seconds / 2))
        : Math.min(longestSeconds, entry.seconds * 2);
      entry.since = now;
      entry.rejected = 0;
    }
    entry.rejected++;
    return entry.seconds;
  }
}
