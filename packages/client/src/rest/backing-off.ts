import type { Exchange } from '@coracle/apimachinery';
import { type Clock, type Millis, sleep } from '@coracle/base';

/** How long a client leaves a server in trouble alone. */
export interface BackingOffOptions {
  readonly clock: Clock;
  /** After the first sign of trouble. It doubles with each further one. */
  readonly initialMs?: Millis;
  readonly maxMs?: Millis;
}

/**
 * Holds every request back for a while after the server has shown to be in trouble: 429, or 5xx. Any other answer, a
 * refusal too, ends that, and so does twice the longest wait without an answer. A connection that fails tells nothing.
 *
 * Trouble is that of a server and not of one of its paths, and an exchange leads to one server: that is the URL by
 * which waits are keyed. Unlike `retrying`, this sends nothing again.
 */
export function backingOff(exchange: Exchange, options: BackingOffOptions): Exchange {
  const { clock, initialMs = 1_000, maxMs = 120_000 } = options;
  let delayMs: Millis = 0;
  let troubleAt: Millis = 0;
  return async (request) => {
    if (clock.now() - troubleAt > 2 * maxMs) delayMs = 0;
    if (delayMs > 0) await sleep(clock, delayMs, request.signal);
    const response = await exchange(request);
    if (isTrouble(response.status)) {
      delayMs = Math.min(maxMs, 2 * delayMs || initialMs);
      troubleAt = clock.now();
    } else delayMs = 0;
    return response;
  };
}

function isTrouble(status: number): boolean {
  return status === 429 || status >= 500;
}
