import type { KubeObject } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { freshnessTimeoutMs, OwnWrites } from './own-writes.js';

function setUp() {
  const copy = new Map<string, KubeObject>();
  const clock = new VirtualClock();
  const lister = { get: (key: string) => copy.get(key), list: () => [...copy.values()], byIndex: () => [] };
  return { copy, clock, writes: new OwnWrites<KubeObject>(lister, clock) };
}

const object = (resourceVersion: string): KubeObject => ({ metadata: { name: 'a', namespace: 'n', resourceVersion } });

test('a key is not fresh until the informer has shown the write', () => {
  const { writes } = setUp();
  writes.wrote('n/svc', object('7'));
  expect(writes.isFresh('n/svc')).toBe(false);
  expect(writes.seen('n/svc', object('6'), false)).toBe(false);
  expect(writes.seen('n/svc', object('7'), false)).toBe(true);
  expect(writes.isFresh('n/svc')).toBe(true);
});

test('an event that arrived before the response counts', () => {
  const { writes, copy } = setUp();
  copy.set('n/a', object('9'));
  writes.wrote('n/svc', object('9'));
  expect(writes.isFresh('n/svc')).toBe(true);
});

test('a deletion ends the wait, and so does time', async () => {
  const { writes, clock } = setUp();
  writes.wrote('n/svc', object('7'));
  expect(writes.seen('n/svc', object('3'), true)).toBe(true);
  writes.wrote('n/svc', object('8'));
  await clock.advance(freshnessTimeoutMs);
  expect(writes.isFresh('n/svc')).toBe(true);
});
