import type { Millis } from '@coracle/base';

/** The demand for seats over one period, integrated over time. */
export class SeatDemandMeter {
  #since: Millis;
  #last: Millis;
  #value = 0;
  #high = 0;
  #sum = 0;
  #squares = 0;

  constructor(now: Millis) {
    this.#since = now;
    this.#last = now;
  }

  set(value: number, now: Millis): void {
    this.#integrate(now);
    this.#value = value;
    if (value > this.#high) this.#high = value;
  }

  /** Ends a period and begins the next. */
  take(now: Millis): { readonly high: number; readonly average: number; readonly deviation: number } {
    this.#integrate(now);
    const duration = now - this.#since;
    const average = duration > 0 ? this.#sum / duration : this.#value;
    const variance = duration > 0 ? this.#squares / duration - average * average : 0;
    const taken = { high: this.#high, average, deviation: Math.sqrt(Math.max(0, variance)) };
    this.#since = now;
    this.#high = this.#value;
    this.#sum = 0;
    this.#squares = 0;
    return taken;
  }

  #integrate(now: Millis): void {
    const elapsed = now - this.#last;
    if (elapsed <= 0) return;
    this.#sum += this.#value * elapsed;
    this.#squares += this.#value * this.#value * elapsed;
    this.#last = now;
  }
}
