import type { Clock, Millis } from './clock.js';
import { disposable } from './disposables.js';

export interface CoarseClockOptions {
  readonly clock: Clock;
  /** Tasks run at multiples of this: those that are due between two of them run together, at the later one. */
  readonly grainMs: Millis;
  /** Shorter delays are kept as they are. */
  readonly fromMs: Millis;
}

/**
 * A clock whose longer timers fire together. Periodic work of thousands of components would otherwise wake the process,
 * and commit a transaction, for each of them.
 */
export class CoarseClock implements Clock {
  readonly #clock: Clock;
  readonly #grainMs: Millis;
  readonly #fromMs: Millis;
  /** By the time at which they run. Each has one timer. */
  readonly #due = new Map<Millis, Set<() => void>>();

  constructor({ clock, grainMs, fromMs }: CoarseClockOptions) {
    this.#clock = clock;
    this.#grainMs = grainMs;
    this.#fromMs = fromMs;
  }

  now(): Millis {
    return this.#clock.now();
  }

  schedule(delayMs: Millis, task: () => void): Disposable {
    if (delayMs < this.#fromMs) return this.#clock.schedule(delayMs, task);
    const at = Math.ceil((this.now() + delayMs) / this.#grainMs) * this.#grainMs;
    const tasks = this.#due.get(at) ?? this.#open(at);
    // Two timers may have the same task.
    const own = () => task();
    tasks.add(own);
    return disposable(() => void tasks.delete(own));
  }

  #open(at: Millis): Set<() => void> {
    const tasks = new Set<() => void>();
    this.#due.set(at, tasks);
    this.#clock.schedule(at - this.now(), () => this.#run(at, tasks));
    return tasks;
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
