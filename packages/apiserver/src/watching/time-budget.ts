import { type Clock, type Millis, monotonicNow } from '@coracle/base';

const refillPerSecondMs: Millis = 50;
const mostMs: Millis = 100;

/**
 * The time budget that all slow watchers share. A waiting watcher takes all of it and returns the unused part, so many
 * slow clients delay events no more than one does.
 */
export class TimeBudget {
  readonly #clock: Clock;
  #left: Millis = mostMs;
  #refilledAt: Millis;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAt = monotonicNow(clock);
  }

  take(): Millis {
    this.#refill();
    const taken = this.#left;
    this.#left = 0;
    return taken;
  }

  giveBack(unused: Millis): void {
    this.#refill();
    this.#left = Math.min(mostMs, this.#left + Math.max(0, unused));
  }

  #refill(): void {
    const now = monotonicNow(this.#clock);
    this.#left = Math.min(mostMs, this.#left + ((now - this.#refilledAt) / 1000) * refillPerSecondMs);
    this.#refilledAt = now;
  }
}
