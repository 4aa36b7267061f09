import type { Exchange } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow, sleep } from '@coracle/base';

/** The backoff of a client from a failing server. */
export interface BackingOffOptions {
  readonly clock: Clock;
  /** First delay. It doubles with each further failure. */
  readonly initialMs?: Millis;
  readonly maxMs?: Millis;
}

/**
 * Delays every request for a while after an overloaded or failing server has returned 429 or 5xx. Any other response, a
 * rejection too, ends that, and so does twice the longest wait without a response. A failed connection has no effect.
 *
 * A server is overloaded as a whole, not one of its paths, and an exchange leads to one server: waits are keyed by its
 * URL. Unlike `retrying`, this repeats no request.
 */
export function backingOff(exchange: Exchange, options: BackingOffOptions): Exchange {
  const { clock, initialMs = 1_000, maxMs = 120_000 } = options;
  let delayMs: Millis = 0;
  let troubleAt: Millis = 0;
  return async (request) => {
    if (monotonicNow(clock) - troubleAt > 2 * maxMs) delayMs = 0;
    if (delayMs > 0) await sleep(clock, delayMs, request.signal);
    const response = await exchange(request);
    if (isTrouble(response.status)) {
      delayMs = Math.min(maxMs, 2 * delayMs || initialMs);
      troubleAt = monotonicNow(clock);
    } else delayMs = 0;
    return response;
  };
}

function isTrouble(status: number): boolean {
  return status === 429 || status >= 500;
}
