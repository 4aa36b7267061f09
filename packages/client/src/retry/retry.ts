import { isConflict, StatusError } from '@coracle/apimachinery';
import { Backoff, type BackoffOptions, type Clock, type Millis, type Random, sleep } from '@coracle/base';

/** How often something is tried, and how long one waits in between. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often to try, the first time included. */
  readonly tries?: number;
  readonly backoff?: BackoffOptions;
  readonly signal?: AbortSignal;
}

/** For writers that rarely meet: a few quick tries. */
const quick = { tries: 5, backoff: { initialMs: 10, maxMs: 10, factor: 1, jitter: 0.1 } };

/**
 * Does `action` again when someone else has changed the object in between. The action must read the object again each
 * time. Throws the last conflict when it has tried often enough, and any other failure at once.
 */
export function retryOnConflict<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  return retryOn(isConflict, action, options);
}

/** Does `action` again while it fails with what `isRetriable` says may pass. */
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

/** The server is busy or in trouble, and the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return StatusError.is(error) && (error.status.code === 429 || error.status.code >= 500);
}

/** The connection broke, or the server is overloaded: a watch that resumes may succeed later. */
export function mayPass(error: unknown): boolean {
  return !StatusError.is(error) || isTransient(error);
}

/** The `Retry-After` of the response, if it has one. */
export function suggestedDelayMs(error: unknown): Millis | undefined {
  const seconds = StatusError.is(error) ? error.status.details?.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
