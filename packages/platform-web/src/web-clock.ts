import { type Clock, timerClock } from '@coracle/base';

/** Real time. The calls are written out because a browser's timers refuse to be methods of another object. */
export const webClock: Clock = {
  ...timerClock<ReturnType<typeof setTimeout>>({
    now: () => Date.now(),
    set: (task, delayMs) => setTimeout(task, delayMs),
    clear: (timer) => clearTimeout(timer),
  }),
  elapsed: () => performance.now(),
};
