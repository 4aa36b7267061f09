import {
  byteLength,
  type FieldError,
  FieldPath,
  finalizerDomainProblems,
  invalidField,
  isDns1123Subdomain,
  isQualifiedName,
  requiredField,
  validateDnsSubdomainName,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Event } from '../../generated/types/core-v1.js';
import { checkImmutable, checkItems, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const maxNameBytes = 128;
const maxMessageBytes = 1024;

/** An API group that serves events. events.k8s.io has stricter validation. */
export type EventGroup = 'core' | 'events.k8s.io';

/** The field of the reporting component in each group. */
const reporterFields = { core: 'reportingComponent', 'events.k8s.io': 'reportingController' } as const;

export function validateEventCreate(event: Event, group: EventGroup): FieldError[] {
  const errors = checkEvent(event, group);
  return group === 'core' ? errors : [...errors, ...checkNewEventMetadata(event), ...checkNewEvent(event)];
}

export function validateEventUpdate(event: Event, previous: Event, group: EventGroup): FieldError[] {
  const errors = checkEvent(event, group);
  if (group === 'core') return errors;
  return [...errors, ...checkFinalizers(event), ...checkNewEventUpdate(event, previous)];
}

/** Events of both groups: those with an event time are of the newer form and have more to say for themselves. */
function checkEvent(event: Event, group: EventGroup): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  return [
    ...(event.eventTime ? checkNewForm(event, reporterFields[group]) : checkOldForm(event)),
    ...checkValue(FieldPath.of('namespace'), namespace, isDns1123Subdomain),
  ];
}

/** The older group accepts any name that is valid as a path segment, and any finalizer. */
function checkNewEventMetadata(event: Event): FieldError[] {
  const { name = '', generateName = '' } = event.metadata;
  const metadata = FieldPath.of('metadata');
  return [
    ...(generateName === ''
      ? []
      : checkValue(metadata.child('generateName'), generateName, (text) => validateDnsSubdomainName(text, true))),
    ...(name === '' ? [] : checkValue(metadata.child('name'), name, isDns1123Subdomain)),
    ...checkFinalizers(event),
  ];
}

function checkFinalizers({ metadata }: Event): FieldError[] {
  const path = FieldPath.of('metadata', 'finalizers');
  return checkItems(path, metadata.finalizers, (itemPath, name) => checkValue(itemPath, name, finalizerDomainProblems));
}

function checkNewEvent(event: Event): FieldError[] {
  const errors = checkSeries(event);
  if (!event.eventTime) errors.push(requiredField('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalidField('type', '', `has invalid value: ${event.type ?? ''}`));
  }
  return [...errors, ...checkUnset(event)];
}

function checkNewEventUpdate(event: Event, previous: Event): FieldError[] {
  const errors = deepEqual(event.series, previous.series) ? [] : checkSeries(event);
  for (const field of fixedFields) {
    const definition = definitionByField[field];
    const shown = definition ? goValue(definition, event[field]) : (event[field] ?? zeroByField[field] ?? '');
    const bothEmpty = !event[field] && !previous[field];
    const shownField = field === 'reportingComponent' ? 'reportingController' : field;
    if (!bothEmpty) errors.push(...checkImmutable(FieldPath.of(shownField), event[field], previous[field], shown));
  }
  return errors;
}

/** Only the series of an event moves on. Upstream looks at the reason twice. */
const fixedFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;
const definitionByField: Readonly<Record<string, string>> = {
  involvedObject: 'core-v1/ObjectReference',
  related: 'core-v1/ObjectReference',
  source: 'core-v1/EventSource',
};
const zeroByField: Readonly<Record<string, unknown>> = {
  count: 0,
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
};

/** The namespace of an event is that of its object; events about the cluster go to `default`. */
function checkOldForm({ involvedObject, metadata }: Event): FieldError[] {
  const about = involvedObject?.namespace ?? '';
  const namespace = metadata.namespace ?? '';
  const matches = about === '' ? namespace === '' || namespace === 'default' : about === namespace;
  return matches ? [] : [mismatch(about)];
}

function mismatch(namespace: string): FieldError {
  return invalidField('involvedObject.namespace', namespace, 'does not match event.namespace');
}

function checkNewForm(event: Event, reporterField: string): FieldError[] {
  const { involvedObject, metadata, reportingComponent = '', message = '' } = event;
  const about = involvedObject?.namespace ?? '';
  const errors: FieldError[] = [];
  if (about === '' && metadata.namespace !== 'default' && metadata.namespace !== 'kube-system') {
    errors.push(mismatch(about));
  }
  if (reportingComponent === '') errors.push(requiredField(reporterField));
  errors.push(...checkValue(FieldPath.of(reporterField), reportingComponent, isQualifiedName));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') errors.push(requiredField(field));
    if (byteLength(value) > maxNameBytes) errors.push(tooLong(field, maxNameBytes));
  }
  if (byteLength(message) > maxMessageBytes) errors.push(tooLong('message', maxMessageBytes));
  return errors;
}

function tooLong(field: string, maximum: number): FieldError {
  return invalidField(field, '', `can have at most ${maximum} characters`);
}

function checkSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalidField('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(requiredField('series.lastObservedTime'));
  return errors;
}

/** The older form's fields, which the newer one replaces. */
function checkUnset(event: Event): FieldError[] {
  const unset = ['firstTimestamp', 'lastTimestamp', 'count'] as const;
  const errors = unset.filter((field) => event[field]).map((field) => invalidField(field, '', 'needs to be unset'));
  if (event.source?.component || event.source?.host) errors.push(invalidField('source', '', 'needs to be unset'));
  return errors;
}
