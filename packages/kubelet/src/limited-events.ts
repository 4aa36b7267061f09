import type { Clock } from '@coracle/base';
import { BucketRateLimiter, type EventRecorder } from '@coracle/client';

/** A kubelet writes so many events at once, and then so many in a second; what is beyond is dropped. */
const limits = { burst: 100, perSecond: 50 };

export function limitedEvents(recorder: EventRecorder, clock: Clock): EventRecorder {
  const bucket = new BucketRateLimiter({ clock, ...limits });
  return {
    event: (...event) => {
      if (bucket.take()) recorder.event(...event);
    },
  };
}
