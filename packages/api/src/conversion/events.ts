import type { ConvertibleKind } from '@coracle/apimachinery';

/** The names that core events have for the fields of events.k8s.io. All other fields are the same. */
const coreNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const eventNames = Object.fromEntries(Object.entries(coreNames).map(([event, core]) => [core, event]));

/** One event, by two names: `v1` and `events.k8s.io/v1`. */
export const eventConversion: ConvertibleKind = {
  kind: 'Event',
  hub: 'v1',
  spokes: [
    {
      apiVersion: 'events.k8s.io/v1',
      toHub: (event) => renamed(event, coreNames),
      fromHub: (event) => renamed(event, eventNames),
    },
  ],
};

function renamed(
  object: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([field, value]) => [names[field] ?? field, value]));
}
