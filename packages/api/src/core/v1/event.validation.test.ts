import { formatFieldError } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import type { Event } from '../../generated/types/core-v1.js';
import { type Changes, withDefaults } from '../../rules.fixture.js';
import { type EventGroup, validateEventCreate, validateEventUpdate } from './event.validation.js';

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  reason: 'Started',
};
const newEvent = {
  ...event,
  eventTime: '2026-01-01T00:00:00.000000Z',
  action: 'Start',
  type: 'Normal',
  reportingComponent: 'kubelet',
  reportingInstance: 'kubelet-1',
};

const oddMetadata = { name: 'Bad_Name!', namespace: 'default', finalizers: ['abc'] };

function problems(event: Event, group: EventGroup): string[] {
  return validateEventCreate(event, group).map((error) => formatFieldError(error).replace(/ \(e\.g\..*/, ''));
}

test.each<[string, Changes, string[]]>([
  [
    'EVENT-07 an event lives with its object',
    { 'involvedObject.namespace': 'other' },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  ['events about the cluster live in default', { 'involvedObject.namespace': undefined }, []],
  ['an event of the core API may have any name and any finalizers', { metadata: oddMetadata }, []],
])('%s', (_sentence, changes, want) => {
  expect(problems(withDefaults(event, changes), 'core')).toEqual(want);
});

test.each<[string, Changes, string[]]>([
  [
    'an event of the newer form says who did what',
    { action: '', reportingInstance: '' },
    ['reportingInstance: Required value', 'action: Required value'],
  ],
  [
    'and is not long-winded',
    { reason: 'x'.repeat(129) },
    ['reason: Invalid value: "": can have at most 128 characters'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problems(withDefaults(newEvent, changes), 'core')).toEqual(want);
});

test.each<{ group: EventGroup; field: string }>([
  { group: 'core', field: 'reportingComponent' },
  { group: 'events.k8s.io', field: 'reportingController' },
])('EVENT-03 $group has the reporter in $field', ({ group, field }) => {
  const unsigned = withDefaults(newEvent, { reportingComponent: '' });
  expect(new Set(validateEventCreate(unsigned, group).map((error) => error.field))).toEqual(new Set([field]));
});

test.each<[string, Changes, string[]]>([
  ['EVENT-04 takes no other type, and none of the older fields', { count: 1, type: 'Weird' }, ['type', 'count']],
  ['has names that are names of hosts', { metadata: oddMetadata }, ['metadata.name', 'metadata.finalizers[0]']],
])('events.k8s.io %s', (_sentence, changes, want) => {
  expect(validateEventCreate(withDefaults(newEvent, changes), 'events.k8s.io').map(({ field }) => field)).toEqual(want);
});

test('in events.k8s.io only the series may change', () => {
  const change = withDefaults(newEvent, {
    reason: 'Other',
    reportingComponent: 'other',
    series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
  });
  const fields = validateEventUpdate(change, withDefaults(newEvent), 'events.k8s.io').map(({ field }) => field);
  expect(fields).toEqual(['reason', 'reason', 'reportingController']);
  expect(validateEventUpdate(change, withDefaults(newEvent), 'core')).toEqual([]);
});
