import { Fifo } from '../collections/fifo.js';
import { type Clock, type Millis, monotonicNow } from './clock.js';

/** Something that has to be over in time. */
export interface Deadline {
  readonly until: Millis;
  /** Absent once it is over. */
  expire: (() => void) | undefined;
}

/** Deadlines with the same duration expire in the order in which they began, so one timer serves all. */
export class Deadlines {
  readonly limitMs: Millis;
  readonly #clock: Clock;
  readonly #waiting = new Fifo<Deadline>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, limitMs: Millis) {
    this.#clock = clock;
    this.limitMs = limitMs;
  }

  /** Calls `expire` when the time is over, unless `end` is called before that. */
  begin(expire: () => void): Deadline {
    const deadline: Deadline = { until: monotonicNow(this.#clock) + this.limitMs, expire };
    this.#waiting.push(deadline);
    this.#timer ??= this.#clock.schedule(this.limitMs, () => this.#onTimer());
    return deadline;
  }

  end(deadline: Deadline): void {
    deadline.expire = undefined;
    while (this.#waiting.size > 0 && !this.#waiting.peek()?.expire) this.#waiting.shift();
    if (this.#waiting.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #onTimer(): void {
    const now = monotonicNow(this.#clock);
    for (let next = this.#waiting.peek(); next && (!next.expire || next.until <= now); next = this.#waiting.peek()) {
      this.#waiting.shift();
      next.expire?.();
    }
    const next = this.#waiting.peek();
    // What has expired may have begun something else, and with it a timer.
    this.#timer?.[Symbol.dispose]();
    this.#timer = next && this.#clock.schedule(next.until - now, () => this.#onTimer());
  }
}
