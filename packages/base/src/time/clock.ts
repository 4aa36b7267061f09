/** A span of time, or an instant counted from the Unix epoch, in milliseconds. */
export type Millis = number;

/**
 * The only source of time in core packages.
 *
 * Core code never calls `Date.now` or `setTimeout`, so the code that owns the clock
 * owns every timeout, lease, backoff and probe in the system.
 */
export interface Clock {
  /** The time of day. It jumps when the system's time is set: spans are measured by `monotonicNow`. */
  now(): Millis;
  /**
   * Time with fractions since any instant, which never jumps. Only clocks of platforms that can tell have it.
   */
  elapsed?(): Millis;
  /** Runs `task` once, `delayMs` from now. Disposing the result cancels it. */
  schedule(delayMs: Millis, task: () => void): Disposable;
  /**
   * Resolves when sockets and files have been polled again, once in an iteration of the event loop. Only clocks of
   * platforms that support it have it; elsewhere the function `nextPoll` comes close.
   */
  nextPoll?(): Promise<void>;
}

/**
 * An instant to measure spans by and to compare with others of the same clock: not a time of day. Delays, deadlines and
 * rates count from it, so that they hold when the system's time is set.
 */
export function monotonicNow(clock: Clock): Millis {
  return clock.elapsed?.() ?? clock.now();
}

/** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, delayMs: Millis, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Runs `task` every `periodMs`, first after one period, until disposed. A task that throws does not end it: the caller
 * handles errors.
 */
export function every(clock: Clock, periodMs: Millis, task: () => void): Disposable {
  return new Repeated(clock, periodMs, task);
}

class Repeated implements Disposable {
  #timer: Disposable;
  #isDisposed = false;

  constructor(clock: Clock, periodMs: Millis, task: () => void) {
    const tick = () => {
      this.#timer = clock.schedule(periodMs, tick);
      task();
      if (this.#isDisposed) this.#timer[Symbol.dispose]();
    };
    this.#timer = clock.schedule(periodMs, tick);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer[Symbol.dispose]();
  }
}
