import type { Clock } from '@coracle/base';
import type { Faults } from './faults.js';

/** A clock whose timers are delayed by some turns, so that those of one instant overtake each other. */
export function faultyClock(clock: Clock, faults: Faults): Clock {
  return {
    now: () => clock.now(),
    schedule: (delayMs, task) => {
      let isCancelled = false;
      const run = () => {
        if (!isCancelled) task();
      };
      const timer = clock.schedule(delayMs, () => void faults.pause().then(run));
      return {
        [Symbol.dispose]: () => {
          isCancelled = true;
          timer[Symbol.dispose]();
        },
      };
    },
  };
}
