import { expect, test } from 'vitest';
import { fromCoreEvent, toCoreEvent } from './event.conversion.js';

const event = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'e' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  regarding: { kind: 'Pod', name: 'p' },
  note: 'started',
  reportingController: 'kubelet',
  deprecatedCount: 1,
};

test('the core group has other names for the same', () => {
  expect(toCoreEvent(event)).toEqual({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    involvedObject: { kind: 'Pod', name: 'p' },
    message: 'started',
    reportingComponent: 'kubelet',
    count: 1,
  });
});

test('a round trip changes nothing', () => {
  expect(fromCoreEvent(toCoreEvent(event))).toEqual(event);
});
