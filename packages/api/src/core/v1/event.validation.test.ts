import { expect, test } from 'vitest';
import type { Event } from '../../generated/types/core-v1.js';
import { type Changes, problemsOnCreate, withDefaults } from '../../test-rules.js';
import { checkNewEvent, checkNewEventUpdate } from './event.validation.js';

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

test.each<[string, Changes, string[]]>([
  [
    'an event lives with its object',
    { 'involvedObject.namespace': 'other' },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  ['events about the cluster live in default', { 'involvedObject.namespace': undefined }, []],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(event, changes)).toEqual(want);
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
  expect(problemsOnCreate(newEvent, changes)).toEqual(want);
});

test('events.k8s.io takes none of the older fields', () => {
  const old: Event = withDefaults(newEvent, { count: 1, type: 'Weird' });
  expect(checkNewEvent(old).map(({ field }) => field)).toEqual(['type', 'count']);
});

test('events.k8s.io lets only the series change', () => {
  const change = withDefaults(newEvent, {
    reason: 'Other',
    series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
  });
  expect(checkNewEventUpdate(change, withDefaults(newEvent)).map(({ field }) => field)).toEqual(['reason']);
});
