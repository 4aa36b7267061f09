import { type Clock, timerClock } from '@coracle/base';

/** Real time. */
export const systemClock: Clock = {
  ...timerClock<NodeJS.Timeout>({ now: Date.now, set: setTimeout, clear: clearTimeout }),
  elapsed: () => performance.now(),
  nextPoll: () => new Promise((resolve) => setImmediate(resolve)),
};
