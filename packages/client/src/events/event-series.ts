import type { eventsv1 } from '@coracle/api';
import { formatMicroTime, parseTime } from '@coracle/apimachinery';
import { type Clock, type Millis, RecentMap } from '@coracle/base';

const cacheSize = 4096;
/** Time after which a series without new events is finished. */
const finishAfterMs: Millis = 360_000;

/**
 * Reports equal events as one event with a series. The first is written, the second begins the series; those after it
 * are counted here, and written when the series is refreshed or over.
 */
export class EventSeries {
  readonly #clock: Clock;
  readonly #eventsByKey = new RecentMap<string, eventsv1.Event>(cacheSize / 2);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The write for this event, if any. For a series it is a patch of an existing event. */
  record(event: eventsv1.Event): eventsv1.Event | undefined {
    const key = seriesKey(event);
    const entry = this.#eventsByKey.get(key);
    const lastObservedTime = formatMicroTime(this.#clock.now());
    if (!entry) {
      this.#eventsByKey.set(key, event);
      return event;
    }
    const continued = { ...entry, series: { count: (entry.series?.count ?? 1) + 1, lastObservedTime } };
    this.#eventsByKey.set(key, continued);
    return entry.series ? undefined : continued;
  }

  /** The series that continue, to be written again so that the server keeps them; finished ones are removed. */
  refresh(): readonly eventsv1.Event[] {
    const now = this.#clock.now();
    const written: eventsv1.Event[] = [];
    for (const [key, event] of this.#eventsByKey.entries()) {
      const lastAt = parseTime(event.series?.lastObservedTime ?? event.eventTime) ?? 0;
      if (event.series) written.push(event);
      if (now - lastAt > finishAfterMs) this.#eventsByKey.delete(key);
    }
    return written;
  }
}

function seriesKey({ regarding, related, ...event }: eventsv1.Event): string {
  const objects = [regarding, related].flatMap((about) => [
    about?.kind,
    about?.namespace,
    about?.name,
    about?.uid,
    about?.fieldPath,
  ]);
  return [
    event.type,
    event.action,
    event.reason,
    event.reportingController,
    event.reportingInstance,
    event.note,
    ...objects,
  ].join('\n');
}
