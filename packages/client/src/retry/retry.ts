import { isConflict, StatusError } from '@coracle/apimachinery';
import { Backoff, type BackoffOptions, type Clock, type Millis, type Random, sleep } from '@coracle/base';

/** Number of attempts, and the delays between them. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of attempts. */
  readonly tries?: number;
  readonly backoff?: BackoffOptions;
  readonly signal?: AbortSignal;
}

/** For rare conflicts: a few quick attempts. */
const quick = { tries: 5, backoff: { initialMs: 10, maxMs: 10, factor: 1, jitter: 0.1 } };

/**
 * Repeats `action` on conflict. The action must read the object again each time. Throws the last conflict after the
 * maximum number of attempts, and any other failure at once.
 */
export function retryOnConflict<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  return retryOn(isConflict, action, options);
}

/** Repeats `action` while `isRetriable` returns true for its error. */
export async function retryOn<T>(
  isRetriable: (error: unknown) => boolean,
  action: () => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, random, tries = quick.tries, backoff = quick.backoff, signal } = options;
  const delays = new Backoff(backoff, random);
  for (let left = tries - 1; ; left--) {
    try {
      return await action();
    } catch (error) {
      if (left <= 0 || !isRetriable(error)) throw error;
    }
    await sleep(clock, delays.next(), signal);
  }
}

/** Whether the server is overloaded or failing, so that the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return StatusError.is(error) && (error.status.code === 429 || error.status.code >= 500);
}

/** Whether the connection was lost, or the server is overloaded: a resumed watch may succeed later. */
export function mayPass(error: unknown): boolean {
  return !StatusError.is(error) || isTransient(error);
}

/** The `Retry-After` of the response, if it has one. */
export function suggestedDelayMs(error: unknown): Millis | undefined {
  const seconds = StatusError.is(error) ? error.status.details?.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
