import type { Clock } from '@coracle/base';

/** `setTimeout` takes 32 bits; beyond that it fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Real time. A delay longer than the platform's timers allow is waited for in steps. */
export const webClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, task) {
    let timer = arm(delayMs);
    function arm(remainingMs: number): ReturnType<typeof setTimeout> {
      const stepMs = Math.min(Math.max(0, remainingMs), longestTimerMs);
      return setTimeout(() => {
        if (remainingMs <= stepMs) task();
        else timer = arm(remainingMs - stepMs);
      }, stepMs);
    }
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
