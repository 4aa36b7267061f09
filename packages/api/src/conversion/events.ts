import { type ConvertibleKind, objectOfKind } from '@coracle/apimachinery';
import { fromCoreEvent, toCoreEvent } from '../events/v1/event.conversion.js';
import type { Event as CoreEvent } from '../generated/types/core-v1.js';
import type { Event } from '../generated/types/events-v1.js';

/** One event, by two names: `v1` and `events.k8s.io/v1`. */
export const eventConversion: ConvertibleKind = {
  kind: 'Event',
  hub: 'v1',
  spokes: [
    {
      apiVersion: 'events.k8s.io/v1',
      // The caller guarantees that the object is of this kind.
      toHub: (event) => ({ ...toCoreEvent(objectOfKind<Event>(event)) }),
      fromHub: (event) => ({ ...fromCoreEvent(objectOfKind<CoreEvent>(event)) }),
    },
  ],
};
