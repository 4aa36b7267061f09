import type { Clock, Millis } from './clock.js';

/** The clock and the timers of a platform. */
export interface PlatformTimers<Timer> {
  now(): Millis;
  /** Runs the task once, at most `longestTimerMs` from now. */
  set(task: () => void, delayMs: Millis): Timer;
  clear(timer: Timer): void;
}

/** Platforms count the milliseconds of a timer in 32 bits; one that is longer fires at once. */
export const longestTimerMs: Millis = 2 ** 31 - 1;

/** Real time. A delay longer than the platform's timers allow is waited for in steps. */
export function timerClock<Timer>(timers: PlatformTimers<Timer>): Clock {
  return {
    now: timers.now,
    schedule: (delayMs, task) => new SteppedTimer(timers, delayMs, task),
  };
}

/** Timers are many: each is one object, and one function for the platform. */
class SteppedTimer<Timer> implements Disposable {
  readonly #timers: PlatformTimers<Timer>;
  #timer: Timer;

  constructor(timers: PlatformTimers<Timer>, delayMs: Millis, task: () => void) {
    this.#timers = timers;
    this.#timer = delayMs <= longestTimerMs ? timers.set(task, Math.max(0, delayMs)) : this.#step(delayMs, task);
  }

  #step(remainingMs: Millis, task: () => void): Timer {
    if (remainingMs <= longestTimerMs) return this.#timers.set(task, remainingMs);
    const next = () => {
      this.#timer = this.#step(remainingMs - longestTimerMs, task);
    };
    return this.#timers.set(next, longestTimerMs);
  }

  [Symbol.dispose](): void {
    this.#timers.clear(this.#timer);
  }
}
