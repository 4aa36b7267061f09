import type { Clock } from '@coracle/base';
import { BucketRateLimiter, type EventRecorder } from '@coracle/client';

/** Burst, and maximum rate of events per second; further events are dropped. */
const limits = { burst: 100, perSecond: 50 };

export function limitedEvents(recorder: EventRecorder, clock: Clock): EventRecorder {
  const bucket = new BucketRateLimiter({ clock, ...limits });
  return {
    event: (...event) => {
      if (bucket.take()) recorder.event(...event);
    },
  };
}
