import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { DeltaQueue } from './delta-queue.js';

const object = (name: string, resourceVersion = '1'): KubeObject => ({ metadata: { name, resourceVersion } });

function queueOver(store: KubeObject[] = []) {
  const map = new Map(store.map((one) => [one.metadata.name ?? '', one]));
  return new DeltaQueue<KubeObject>({ get: (key) => map.get(key), keys: () => map.keys() });
}

function popAll(queue: DeltaQueue<KubeObject>): Record<string, string[]> {
  const popped: Record<string, string[]> = {};
  while (queue.pop((deltas, key) => void (popped[key] = deltas.map(({ type, stale }) => (stale ? `${type}?` : type)))));
  return popped;
}

describe('DeltaQueue', () => {
  const cases: {
    name: string;
    stored?: string[];
    act: (queue: DeltaQueue<KubeObject>) => void;
    popped: Record<string, string[]>;
  }[] = [
    {
      name: 'DF-19 keeps every change of each object, in order',
      act: (queue) => {
        queue.add(object('one'));
        queue.add(object('two'));
        queue.update(object('one', '2'));
        queue.add(object('tre'));
        for (const name of ['two', 'tre', 'one', 'tre', 'two']) queue.update(object(name, '3'));
      },
      popped: {
        one: ['Added', 'Updated', 'Updated'],
        two: ['Added', 'Updated', 'Updated'],
        tre: ['Added', 'Updated', 'Updated'],
      },
    },
    { name: 'DF-6 ignores the deletion of an unknown object', act: (queue) => queue.delete(object('a')), popped: {} },
    {
      name: 'DF-6 queues the deletion of what only the consumer knows',
      stored: ['a'],
      act: (queue) => queue.delete(object('a')),
      popped: { a: ['Deleted'] },
    },
    {
      name: 'DF-12 a new list deletes what is missing from it',
      stored: ['a', 'b'],
      act: (queue) => queue.replace([object('b'), object('c')]),
      popped: { b: ['Replaced'], c: ['Replaced'], a: ['Deleted?'] },
    },
    {
      name: 'DF-13 a new list deletes what only the queue knows',
      act: (queue) => {
        queue.add(object('a'));
        queue.replace([]);
      },
      popped: { a: ['Added', 'Deleted?'] },
    },
    {
      name: 'DF-8 keeps the older of two deletions',
      stored: ['a'],
      act: (queue) => {
        queue.delete(object('a'));
        queue.replace([]);
      },
      popped: { a: ['Deleted'] },
    },
    {
      name: 'DF-8 a deletion that was seen replaces one that was missed',
      stored: ['a'],
      act: (queue) => {
        queue.replace([]);
        queue.delete(object('a'));
      },
      popped: { a: ['Deleted'] },
    },
    {
      name: 'DF-15 says again what is known',
      stored: ['a', 'b'],
      act: (queue) => queue.resync(),
      popped: { a: ['Sync'], b: ['Sync'] },
    },
    {
      name: 'DF-15 does not say again what has news waiting',
      stored: ['a', 'b'],
      act: (queue) => {
        queue.delete(object('a'));
        queue.resync();
      },
      popped: { a: ['Deleted'], b: ['Sync'] },
    },
  ];

  test.each(cases)('$name', ({ stored = [], act, popped }) => {
    const queue = queueOver(stored.map((name) => object(name)));
    act(queue);
    expect(popAll(queue)).toEqual(popped);
  });

  test('DF-16 has synced when everything of the first list has been handled', () => {
    const queue = queueOver();
    const seen = [queue.hasSynced];
    queue.replace([object('a'), object('b')]);
    while (queue.pop(() => {})) seen.push(queue.hasSynced);
    expect(seen).toEqual([false, false, true]);
  });

  test('DF-16 has synced at once when the first list is empty', () => {
    const queue = queueOver();
    queue.replace([]);
    expect(queue.hasSynced).toBe(true);
  });
});
