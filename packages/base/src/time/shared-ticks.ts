import { disposable } from '../async/disposables.js';
import { type Clock, every, type Millis } from './clock.js';

/** One periodic timer for many listeners, which runs while there is a listener. */
export class SharedTicks {
  readonly #clock: Clock;
  readonly #periodMs: Millis;
  readonly #tasks = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, periodMs: Millis) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** Calls `task` at every tick: for the first time after a period at most. */
  add(task: () => void): Disposable {
    const own = () => task();
    this.#tasks.add(own);
    this.#timer ??= every(this.#clock, this.#periodMs, () => this.#tick());
    return disposable(() => {
      this.#tasks.delete(own);
      if (this.#tasks.size > 0) return;
      this.#timer?.[Symbol.dispose]();
      this.#timer = undefined;
    });
  }

  /** A waiter that is added during a tick waits for the next one. */
  #tick(): void {
    for (const task of [...this.#tasks]) if (this.#tasks.has(task)) task();
  }
}
