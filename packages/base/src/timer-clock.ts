import type { Clock, Millis } from './clock.js';

/** What a platform knows of time. */
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
    schedule(delayMs, task) {
      let timer = arm(delayMs);
      function arm(remainingMs: Millis): Timer {
        const stepMs = Math.min(Math.max(0, remainingMs), longestTimerMs);
        const fire = () => {
          if (remainingMs <= stepMs) task();
          else timer = arm(remainingMs - stepMs);
        };
        return timers.set(fire, stepMs);
      }
      return { [Symbol.dispose]: () => timers.clear(timer) };
    },
  };
}
