import { type Event, type EventGroup, validateEventCreate, validateEventUpdate } from '@coracle/api';
import type { Strategy } from '../strategy.js';

type Reference = NonNullable<Event['involvedObject']>;

const referenceFields: readonly (keyof Reference)[] = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
];

/** Events are kept for an hour, and not in memory: there are many, and few are read. Both groups serve the same objects; events.k8s.io has stricter validation. */
export const eventStrategy: Strategy<Event> = {
  ttlSeconds: 3600,
  uncached: true,
  allowCreateOnUpdate: true,

  validateCreate: (event, { apiVersion }) => validateEventCreate(event, groupOf(apiVersion)),
  validateUpdate: (event, previous, { apiVersion }) => validateEventUpdate(event, previous, groupOf(apiVersion)),

  selectableFields: {
    ...Object.fromEntries(
      referenceFields.flatMap((field) => {
        const read = (event: Event) => event.involvedObject?.[field] ?? '';
        return [
          [`involvedObject.${field}`, read],
          [`regarding.${field}`, read],
        ];
      }),
    ),
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
    reportingController: ({ reportingComponent }) => reportingComponent ?? '',
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || '',
    type: ({ type }) => type ?? '',
  },
};

function groupOf(apiVersion: string | undefined): EventGroup {
  return apiVersion?.startsWith('events.k8s.io/') ? 'events.k8s.io' : 'core';
}
