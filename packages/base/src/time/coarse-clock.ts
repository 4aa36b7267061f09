import { disposable } from '../async/disposables.js';
import { type Clock, type Millis, monotonicNow } from './clock.js';

export interface CoarseClockOptions {
  readonly clock: Clock;
  /** Tasks run at multiples of this: those that are due between two of them run together, at the later one. */
  readonly grainMs: Millis;
  /** Shorter delays are unchanged. */
  readonly fromMs: Millis;
}

/** Tasks that run at one time, by one timer. */
interface Grain {
  readonly tasks: Set<() => void>;
  readonly timer: Disposable;
}

/**
 * A clock whose longer timers fire together. Periodic work of thousands of components would otherwise wake the process,
 * and commit a transaction, for each of them.
 */
export class CoarseClock implements Clock {
  readonly #clock: Clock;
  readonly #grainMs: Millis;
  readonly #fromMs: Millis;
  /** By the time at which they run. */
  readonly #due = new Map<Millis, Grain>();

  constructor({ clock, grainMs, fromMs }: CoarseClockOptions) {
    this.#clock = clock;
    this.#grainMs = grainMs;
    this.#fromMs = fromMs;
  }

  now(): Millis {
    return this.#clock.now();
  }

  elapsed(): Millis {
    return monotonicNow(this.#clock);
  }

  schedule(delayMs: Millis, task: () => void): Disposable {
    if (delayMs < this.#fromMs) return this.#clock.schedule(delayMs, task);
    const at = Math.ceil((this.elapsed() + delayMs) / this.#grainMs) * this.#grainMs;
    const grain = this.#due.get(at) ?? this.#open(at);
    // Two timers may have the same task.
    const own = () => task();
    grain.tasks.add(own);
    return disposable(() => {
      grain.tasks.delete(own);
      if (grain.tasks.size === 0) this.#close(at, grain);
    });
  }

  #open(at: Millis): Grain {
    const tasks = new Set<() => void>();
    const grain = { tasks, timer: this.#clock.schedule(at - this.elapsed(), () => this.#run(at, tasks)) };
    this.#due.set(at, grain);
    return grain;
  }

  /** A timer without tasks would keep the process alive. */
  #close(at: Millis, grain: Grain): void {
    grain.timer[Symbol.dispose]();
    if (this.#due.get(at) === grain) this.#due.delete(at);
  }

  /** Like timers of their own, tasks do not prevent each other: what one throws is thrown after the rest have run. */
  #run(at: Millis, tasks: Set<() => void>): void {
    this.#due.delete(at);
    const failures: unknown[] = [];
    for (const task of tasks) {
      tasks.delete(task);
      try {
        task();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
