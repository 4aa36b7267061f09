import type { Exchange } from '@coracle/apimachinery';
import { type Clock, type Logger, sleep } from '@coracle/base';
import { BucketRateLimiter } from '../workqueue/rate-limiter.js';

/** Client-side rate limit: requests a second, with bursts. Servers limit clients by API priority and fairness. */
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
