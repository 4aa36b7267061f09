import { describe, expect, test, vi } from 'vitest';
import { bytesOf, del, put, Recorder, write } from './store-access.js';
import type { MakeStore } from './store-harness.js';

export function describeWatches(makeStore: MakeStore): void {
  describe('OP-15 watches', () => {
    test('reports writes under the prefix, in order', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const recorder = new Recorder();
      using _ = store.watch('/a/', (await store.currentRevision()) + 1, recorder);
      await write(store, put('/a/x', '1'));
      await write(store, put('/b/x', 'elsewhere'));
      await write(store, put('/a/x', '2'));
      const deleted = await write(store, del('/a/x'));
      expect(await recorder.untilEvents(3)).toEqual(['+/a/x=1', '+/a/x=2', '-/a/x']);
      expect(recorder.events[2]?.keyValue).toMatchObject({ modRevision: deleted });
      expect(recorder.events[2]?.keyValue.value.length).toBe(0);
    });

    test('a listener that throws loses its watch; the others, and the store, continue', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const from = (await store.currentRevision()) + 1;
      const errors: Error[] = [];
      let calls = 0;
      const broken = {
        onEvents: () => {
          calls++;
          throw new Error('a bug in the listener');
        },
        onError: (error: Error) => void errors.push(error),
      };
      using _broken = store.watch('/a/', from, broken);
      const recorder = new Recorder();
      using _ = store.watch('/a/', from, recorder);
      await write(store, put('/a/1', 'x'));
      await write(store, put('/a/2', 'x'));
      expect(await recorder.untilEvents(2)).toEqual(['+/a/1=x', '+/a/2=x']);
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(errors[0]?.message).toContain('a bug in the listener');
      expect(calls).toBe(1);
    });

    test('a listener that throws while its watch catches up loses it too', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const from = await write(store, put('/a/1', 'x'));
      const errors: Error[] = [];
      const broken = {
        onEvents: () => {
          throw new Error('a bug in the listener');
        },
        onError: (error: Error) => void errors.push(error),
      };
      using _broken = store.watch('/a/', from, broken);
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(await write(store, put('/a/2', 'x'))).toBe(from + 1);
    });

    test('begins in the past and continues into the present, each event once', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      await write(store, put('/a/0', 'before'));
      const from = await write(store, put('/a/1', 'x'));
      await write(store, put('/a/2', 'x'), del('/a/0'));
      const recorder = new Recorder();
      using _ = store.watch('/a/', from, recorder);
      await write(store, put('/a/3', 'x'));
      await write(store, put('/a/4', 'x'));
      expect(await recorder.untilEvents(5)).toEqual(['+/a/1=x', '+/a/2=x', '-/a/0', '+/a/3=x', '+/a/4=x']);
      expect(recorder.errors).toEqual([]);
    });

    test('misses no writes while it catches up', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const from = (await store.currentRevision()) + 1;
      const keys = Array.from({ length: 300 }, (_, i) => `/a/${String(i).padStart(3, '0')}`);
      await Promise.all(keys.slice(0, 150).map((key) => write(store, put(key, 'x'))));
      const recorder = new Recorder();
      using _ = store.watch('/a/', from, recorder);
      await Promise.all(keys.slice(150).map((key) => write(store, put(key, 'x'))));
      expect((await recorder.untilEvents(300)).sort()).toEqual(keys.map((key) => `+${key}=x`));
      const revisions = recorder.events.map((event) => event.keyValue.modRevision);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    });

    test('from a revision in the future it stays silent until then', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const recorder = new Recorder();
      using _ = store.watch('/a/', (await store.currentRevision()) + 3, recorder);
      for (const key of ['/a/1', '/a/2', '/a/3', '/a/4']) await write(store, put(key, 'x'));
      expect(await recorder.untilEvents(2)).toEqual(['+/a/3=x', '+/a/4=x']);
    });

    test('a transaction is delivered as one', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const recorder = new Recorder();
      using _ = store.watch('/', (await store.currentRevision()) + 1, recorder);
      const revision = await write(store, put('/a', '1'), put('/b', '1'), put('/c', '1'));
      await recorder.untilEvents(3);
      expect(recorder.revisions).toEqual([revision]);
    });

    test('is silent once disposed', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const [ended, other] = [new Recorder(), new Recorder()];
      const from = (await store.currentRevision()) + 1;
      const watch = store.watch('/a/', from, ended);
      using _ = store.watch('/a/', from, other);
      await write(store, put('/a/1', 'x'));
      await ended.untilEvents(1);
      watch[Symbol.dispose]();
      await write(store, put('/a/2', 'x'));
      await other.untilEvents(2);
      expect(ended.shown).toEqual(['+/a/1=x']);
    });

    test('reports its progress on request, also without writes', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const recorder = new Recorder();
      using watch = store.watch('/quiet/', (await store.currentRevision()) + 1, recorder);
      const revision = await write(store, put('/a', 'x'));
      watch.requestProgress();
      await recorder.until(() => (recorder.progress.at(-1) ?? 0) >= revision);
      expect(recorder.events).toEqual([]);
    });

    test('progress follows the events that it covers', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const from = (await store.currentRevision()) + 1;
      for (let i = 0; i < 10; i++) await write(store, put(`/a/${i}`, 'x'));
      const recorder = new Recorder();
      let eventsAtProgress = -1;
      using watch = store.watch('/a/', from, {
        onEvents: (events, revision) => recorder.onEvents(events, revision),
        onError: (error) => recorder.onError(error),
        onProgress: (revision) => {
          if (eventsAtProgress < 0) eventsAtProgress = recorder.events.length;
          recorder.onProgress(revision);
        },
      });
      watch.requestProgress();
      await recorder.until(() => recorder.progress.length > 0);
      expect(eventsAtProgress).toBe(10);
    });

    test('the decoded form is passed from the writer to watchers in the same process, if at all', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const recorder = new Recorder();
      const decoded = { kind: 'Pod' };
      using _ = store.watch('/', (await store.currentRevision()) + 1, recorder);
      await store.transact({
        compare: [],
        operations: [{ kind: 'put', key: '/a', value: bytesOf('{"kind":"Pod"}'), decoded }],
      });
      await recorder.untilEvents(1);
      expect([decoded, undefined]).toContain(recorder.events[0]?.keyValue.decoded);
    });
  });
}
