import type { Exchange } from '@coracle/apimachinery';
import { type Clock, type Logger, sleep } from '@coracle/base';
import { BucketRateLimiter } from '../workqueue/rate-limiter.js';

/** Sends no more than so many requests a second, with bursts. Servers have better means; this is for polite guests. */
export function rateLimited(
  exchange: Exchange,
  options: { readonly clock: Clock; readonly perSecond: number; readonly burst: number; readonly logger?: Logger },
): Exchange {
  const bucket = new BucketRateLimiter(options);
  return async (request) => {
    const delayMs = bucket.when();
    if (delayMs > 0) {
      if (delayMs >= 1_000)
        options.logger?.info('Waited before sending request', {
          delayMs,
          reason: 'client-side throttling',
          path: request.path,
        });
      await sleep(options.clock, delayMs, request.signal);
    }
    return exchange(request);
  };
}
