import { describe, expect, test } from 'vitest';
import { bytesOf, codeOf, del, put, shown, write } from './store-access.js';
import type { MakeStore } from './store-harness.js';

export function describeTransactions(makeStore: MakeStore): void {
  describe('OP-15 transactions', () => {
    test('each that changes something gets the next revision, for any number of operations', async () => {
      await using harness = await makeStore();
      const first = await write(harness.store, put('/a', '1'), put('/b', '1'));
      expect(await write(harness.store, put('/a', '2'), del('/b'))).toBe(first + 1);
      expect((await harness.store.get('/a'))?.modRevision).toBe(first + 1);
    });

    test('deleting a missing key uses no revision', async () => {
      await using harness = await makeStore();
      const revision = await write(harness.store, put('/a', '1'));
      expect(await write(harness.store, del('/b'))).toBe(revision);
      expect(await harness.store.currentRevision()).toBe(revision);
    });

    test('a create succeeds once', async () => {
      await using harness = await makeStore();
      const create = (value: string) =>
        harness.store.transact({ compare: [{ key: '/a', modRevision: 0 }], operations: [put('/a', value)] });
      const first = await create('one');
      expect(first.succeeded).toBe(true);
      const second = await create('two');
      expect(second).toMatchObject({ succeeded: false, revision: first.revision });
      expect(second.current.map(shown)).toEqual(['/a=one']);
      expect(shown(await harness.store.get('/a'))).toBe('/a=one');
    });

    test('a failed comparison changes nothing and returns the value of each compared key', async () => {
      await using harness = await makeStore();
      const revision = await write(harness.store, put('/a', 'one'));
      const result = await harness.store.transact({
        compare: [
          { key: '/none', modRevision: 0 },
          { key: '/a', modRevision: revision - 1 },
        ],
        operations: [put('/a', 'two'), put('/b', 'two')],
      });
      expect(result.succeeded).toBe(false);
      expect(result.current.map(shown)).toEqual([undefined, '/a=one']);
      expect(await harness.store.get('/b')).toBeUndefined();
    });

    test('of concurrent updates from one revision, one wins, and the others see its value', async () => {
      await using harness = await makeStore();
      const modRevision = await write(harness.store, put('/a', 'start'));
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          harness.store.transact({ compare: [{ key: '/a', modRevision }], operations: [put('/a', `writer ${i}`)] }),
        ),
      );
      expect(results.filter((result) => result.succeeded)).toHaveLength(1);
      const winner = shown(await harness.store.get('/a'));
      const losers = results.filter((result) => !result.succeeded);
      expect(new Set(losers.map((result) => shown(result.current[0])))).toEqual(new Set([winner]));
    });

    test('concurrent writes all get distinct revisions, without a gap', async () => {
      await using harness = await makeStore();
      const before = await harness.store.currentRevision();
      const revisions = await Promise.all(
        Array.from({ length: 50 }, (_, i) => write(harness.store, put(`/a/${i}`, 'x'))),
      );
      expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => before + 1 + i));
    });

    test('a key may occur once', async () => {
      await using harness = await makeStore();
      await expect(write(harness.store, put('/a', '1'), put('/a', '2'))).rejects.toThrow();
      expect(await harness.store.get('/a')).toBeUndefined();
    });

    test('a value beyond 1.5 MiB is too large, one a little below is not', async () => {
      await using harness = await makeStore();
      const write = (bytes: number) =>
        harness.store.transact({ compare: [], operations: [{ kind: 'put', key: '/a', value: new Uint8Array(bytes) }] });
      expect(await codeOf(() => write(1.5 * 1024 * 1024 + 1))).toBe('TooLarge');
      expect(await harness.store.get('/a')).toBeUndefined();
      await write(1.5 * 1024 * 1024 - 2048);
      expect((await harness.store.get('/a'))?.value.length).toBe(1.5 * 1024 * 1024 - 2048);
    });

    test('bytes are returned unchanged, empty and not text included', async () => {
      await using harness = await makeStore();
      const value = Uint8Array.from({ length: 256 }, (_, i) => i);
      await harness.store.transact({
        compare: [],
        operations: [
          { kind: 'put', key: '/bytes', value },
          { kind: 'put', key: '/empty', value: bytesOf('') },
        ],
      });
      expect([...((await harness.store.get('/bytes'))?.value ?? [])]).toEqual([...value]);
      expect((await harness.store.get('/empty'))?.value.length).toBe(0);
    });
  });
}
