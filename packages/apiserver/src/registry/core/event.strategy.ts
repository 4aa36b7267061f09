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

type FieldReader = (event: Event) => string;

/** Field names of the involved object of an event, which differ between the groups. */
function fieldsBelow(name: string): Readonly<Record<string, FieldReader>> {
  return Object.fromEntries(
    referenceFields.map((field) => [`${name}.${field}`, (event: Event) => event.involvedObject?.[field] ?? '']),
  );
}

const sharedFields: Readonly<Record<string, FieldReader>> = {
  reason: ({ reason }) => reason ?? '',
  source: ({ source, reportingComponent }) => source?.component || reportingComponent || '',
  type: ({ type }) => type ?? '',
};

/**
 * Events expire after an hour and are not cached: there are many, and few are read. Both groups serve the same objects;
 * events.k8s.io has stricter validation.
 */
export const eventStrategy: Strategy<Event> = {
  ttlSeconds: 3600,
  uncached: true,
  allowCreateOnUpdate: true,

  validateCreate: (event, { apiVersion }) => validateEventCreate(event, groupOf(apiVersion)),
  validateUpdate: (event, previous, { apiVersion }) => validateEventUpdate(event, previous, groupOf(apiVersion)),

  selectableFields: {
    ...fieldsBelow('involvedObject'),
    ...sharedFields,
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
  },
  selectableFieldsIn: {
    'events.k8s.io': {
      ...fieldsBelow('regarding'),
      ...sharedFields,
      reportingController: ({ reportingComponent }) => reportingComponent ?? '',
    },
  },
};

function groupOf(apiVersion: string | undefined): EventGroup {
  return apiVersion?.startsWith('events.k8s.io/') ? 'events.k8s.io' : 'core';
}
