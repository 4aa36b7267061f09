import { StoreError } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { codeOf, del, put, Recorder, shown, write } from './store-access.js';
import type { MakeStore } from './store-harness.js';

export function describeCompaction(makeStore: MakeStore): void {
  describe('OP-15 compaction', () => {
    test('reads before it are rejected; at it and after it they are unchanged', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const before = await write(store, put('/a', '1'), put('/gone', 'x'));
      await write(store, del('/gone'));
      const at = await write(store, put('/a', '2'));
      const after = await write(store, put('/a', '3'));
      await store.compact(at);
      expect(await codeOf(() => store.get('/a', { revision: before }))).toBe('Compacted');
      expect(await codeOf(() => store.list('/', { revision: before }))).toBe('Compacted');
      expect((await store.list('/', { revision: at })).items.map(shown)).toEqual(['/a=2']);
      expect((await store.list('/', { revision: after })).items.map(shown)).toEqual(['/a=3']);
      expect(await store.get('/a')).toMatchObject({ createRevision: before, version: 3 });
    });

    test('a watch from before it ends with the oldest available revision', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const before = await write(store, put('/a', '1'));
      await write(store, put('/a', '2'));
      const at = await write(store, put('/a', '3'));
      await store.compact(at);
      const recorder = new Recorder();
      using _ = store.watch('/', before, recorder);
      await recorder.until(() => recorder.errors.length > 0);
      expect(recorder.errors[0]).toSatisfy((error) => StoreError.is(error, 'Compacted'));
      expect((recorder.errors[0] as StoreError).compactRevision).toBe(at);
      expect(recorder.events).toEqual([]);
    });

    test('a watch from the revision after it receives everything since', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const at = await write(store, put('/a', '1'));
      await write(store, put('/a', '2'));
      await write(store, del('/a'));
      await store.compact(at);
      const recorder = new Recorder();
      using _ = store.watch('/', at + 1, recorder);
      expect(await recorder.untilEvents(2)).toEqual(['+/a=2', '-/a']);
    });

    test('a revision that is not there yet, or no longer, cannot be compacted', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      await write(store, put('/a', '1'));
      const revision = await write(store, put('/a', '2'));
      expect(await codeOf(() => store.compact(revision + 1))).toBe('FutureRevision');
      await store.compact(revision);
      expect(await codeOf(() => store.compact(revision))).toBe('Compacted');
      expect(await write(store, put('/a', '3'))).toBe(revision + 1);
    });
  });
}
