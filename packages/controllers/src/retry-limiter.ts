import type { ObjectKey } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import { BucketRateLimiter, ExponentialRateLimiter, MaxOfRateLimiter, type RateLimiter } from '@coracle/client';

/** As all controllers try again, but with other times for each key. */
export function retryLimiter(
  clock: Clock,
  times: { readonly baseMs: Millis; readonly maxMs: Millis },
): RateLimiter<ObjectKey> {
  return new MaxOfRateLimiter<ObjectKey>([
    new ExponentialRateLimiter(times),
    new BucketRateLimiter({ clock, perSecond: 10, burst: 100 }),
  ]);
}
