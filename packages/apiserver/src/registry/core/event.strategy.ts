import { checkNewEvent, checkNewEventUpdate, type Event } from '@coracle/api';
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

const eventsGroup = 'events.k8s.io/';

/** Events are kept for an hour. Both groups serve the same objects; the newer one asks more of them. */
export const eventStrategy: Strategy<Event> = {
  ttlSeconds: 3600,
  allowCreateOnUpdate: true,

  validateCreate: (event, { apiVersion }) => (isNewGroup(apiVersion) ? checkNewEvent(event) : []),
  validateUpdate: (event, previous, { apiVersion }) =>
    isNewGroup(apiVersion) ? checkNewEventUpdate(event, previous) : [],

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

function isNewGroup(apiVersion: string | undefined): boolean {
  return apiVersion?.startsWith(eventsGroup) ?? false;
}
