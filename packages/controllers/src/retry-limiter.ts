import type { ObjectKey } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import { BucketRateLimiter, ExponentialRateLimiter, MaxOfRateLimiter, type RateLimiter } from '@coracle/client';

/** The default retry delays of controllers, with jitter per key. */
export function retryLimiter(
  clock: Clock,
  times: { readonly baseMs: Millis; readonly maxMs: Millis },
): RateLimiter<ObjectKey> {
  return new MaxOfRateLimiter<ObjectKey>([
    new ExponentialRateLimiter(times),
    new BucketRateLimiter({ clock, perSecond: 10, burst: 100 }),
  ]);
}
