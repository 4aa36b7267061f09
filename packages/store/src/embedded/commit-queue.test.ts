import { Activity, Deferred, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { BackendWrite } from '../backend.js';
import type { Store, StoreEvent } from '../store.js';
import { StoreError } from '../store-error.js';
import { createEmbeddedStore } from './create-store.js';
import { MemoryBackend } from './memory-backend.js';

/** A disk that writes when the test triggers it. Pending writes are visible already, as with any operating system. */
class SlowBackend extends MemoryBackend {
  readonly batches: { readonly writes: readonly BackendWrite[]; readonly done: Deferred<void> }[] = [];
  held = false;
  /** Whether a held batch can be read before it is done. */
  visible = true;

  override async write(writes: readonly BackendWrite[]): Promise<void> {
    if (!this.held) return await super.write(writes);
    const batch = { writes, done: new Deferred<void>() };
    this.batches.push(batch);
    if (this.visible) await super.write(writes);
    await batch.done.promise;
    if (!this.visible) await super.write(writes);
  }
}

async function makeStore() {
  const backend = new SlowBackend();
  const clock = new VirtualClock();
  const activity = new Activity();
  const store = await createEmbeddedStore({ backend, clock, activity });
  return { backend, clock, activity, store };
}

const value = (text: string) => new TextEncoder().encode(text);
const put = (store: Store, key: string, text = 'x') =>
  store.transact({ compare: [], operations: [{ kind: 'put', key, value: value(text) }] });
const remove = (store: Store, key: string) => store.transact({ compare: [], operations: [{ kind: 'delete', key }] });

function collect(store: Store, from: number): StoreEvent[] {
  const messages: StoreEvent[] = [];
  store.watch('/', from, { onEvents: (events) => void messages.push(...events), onError: () => {} });
  return messages;
}

describe('group commit', () => {
  test('writes during a sync share the next one', async () => {
    const { backend, clock, store } = await makeStore();
    backend.held = true;
    const first = put(store, '/a');
    await clock.settle();
    const others = Array.from({ length: 31 }, (_, i) => put(store, `/b/${i}`));
    await clock.settle();
    expect(backend.batches).toHaveLength(1);
    backend.batches[0]?.done.resolve();
    await first;
    await clock.settle();
    expect(backend.batches).toHaveLength(2);
    backend.batches[1]?.done.resolve();
    await Promise.all(others);
    expect(await store.count('/b/')).toBe(31);
  });

  test.each([true, false])('no write is visible before it is durable (shown by the backend: %s)', async (visible) => {
    const { backend, clock, activity, store } = await makeStore();
    backend.visible = visible;
    await put(store, '/old');
    await put(store, '/gone');
    const before = await store.currentRevision();
    const events = collect(store, before + 1);
    backend.held = true;
    let acknowledged = 0;
    const writes = [put(store, '/new'), put(store, '/old', 'y'), remove(store, '/gone')];
    for (const write of writes) void write.then(() => acknowledged++);
    await clock.settle();
    expect({ acknowledged, events, busy: activity.busy }).toEqual({ acknowledged: 0, events: [], busy: true });
    expect(await store.get('/new')).toBeUndefined();
    expect((await store.get('/gone'))?.key).toBe('/gone');
    const { items, count, revision } = await store.list('/');
    expect(items.map((item) => `${item.key}=${new TextDecoder().decode(item.value)}`)).toEqual(['/gone=x', '/old=x']);
    expect({ count, revision }).toEqual({ count: 2, revision: before });
    expect(await store.count('/')).toBe(2);
    backend.batches[0]?.done.resolve();
    await Promise.all(writes);
    expect(events).toHaveLength(3);
    expect((await store.list('/')).items.map((item) => item.key)).toEqual(['/new', '/old']);
    expect(activity.busy).toBe(false);
  });

  test('watchers are notified of a write before its writer', async () => {
    const { store } = await makeStore();
    const events = collect(store, 2);
    await put(store, '/a');
    expect(events).toHaveLength(1);
  });

  test('a comparison uses pending writes, and its failure is reported only when they are durable', async () => {
    const { backend, clock, store } = await makeStore();
    backend.held = true;
    const create = () =>
      store.transact({
        compare: [{ key: '/a', modRevision: 0 }],
        operations: [{ kind: 'put', key: '/a', value: value('x') }],
      });
    const [first, second] = [create(), create()];
    let refused = false;
    void second.then(() => {
      refused = true;
    });
    await clock.settle();
    expect(refused).toBe(false);
    backend.batches[0]?.done.resolve();
    expect((await first).succeeded).toBe(true);
    const { succeeded, current } = await second;
    expect({ succeeded, found: current[0]?.modRevision }).toEqual({ succeeded: false, found: 2 });
  });

  test('a failed write discards everything decided after it, and the next one reuses its revision', async () => {
    const { backend, clock, store } = await makeStore();
    const events = collect(store, 2);
    backend.held = true;
    backend.visible = false;
    const first = put(store, '/a');
    await clock.settle();
    const second = put(store, '/a');
    backend.batches[0]?.done.reject(new Error('no space left'));
    for (const write of [first, second]) {
      await expect(write).rejects.toSatisfy((error) => StoreError.is(error, 'Unavailable'));
    }
    backend.held = false;
    expect((await put(store, '/a', 'again')).revision).toBe(2);
    expect(await store.get('/a')).toMatchObject({ version: 1, createRevision: 2 });
    expect(events).toHaveLength(1);
  });

  test('a failed write does not affect earlier ones, of the same key too', async () => {
    const { backend, clock, store } = await makeStore();
    await put(store, '/a', 'first');
    backend.held = true;
    backend.visible = false;
    const second = put(store, '/a', 'second');
    await clock.settle();
    const third = put(store, '/a', 'third');
    backend.batches[0]?.done.resolve();
    const { revision } = await second;
    await clock.settle();
    backend.batches[1]?.done.reject(new Error('no space left'));
    await expect(third).rejects.toSatisfy((error) => StoreError.is(error, 'Unavailable'));
    backend.held = false;
    const { current } = await store.transact({ compare: [{ key: '/a', modRevision: 1 }], operations: [] });
    expect(current[0]).toMatchObject({ value: value('second'), modRevision: revision, version: 2 });
  });

  test('keys of a lease that ended while writes failed are deleted later', async () => {
    const { backend, clock, store } = await makeStore();
    const { id } = await store.grantLease(60);
    await store.transact({ compare: [], operations: [{ kind: 'put', key: '/a', value: value('x'), lease: id }] });
    backend.held = true;
    backend.visible = false;
    await clock.advance(60_000);
    backend.batches[0]?.done.reject(new Error('no space left'));
    await clock.settle();
    backend.held = false;
    expect((await store.get('/a'))?.key).toBe('/a');
    await clock.advance(10_000);
    expect(await store.get('/a')).toBeUndefined();
  });

  test('a lease whose revocation could not be written lasts as long as it was granted for', async () => {
    const { backend, clock, store } = await makeStore();
    const { id } = await store.grantLease(60);
    const operations = [{ kind: 'put', key: '/a', value: value('x'), lease: id } as const];
    await store.transact({ compare: [], operations });
    backend.held = true;
    backend.visible = false;
    const revoked = store.revokeLease(id);
    await clock.settle();
    backend.batches[0]?.done.reject(new Error('no space left'));
    await expect(revoked).rejects.toThrow('no space left');
    backend.held = false;
    await clock.advance(50_000);
    expect((await store.get('/a'))?.lease).toBe(id);
    await clock.advance(15_000);
    expect(await store.get('/a')).toBeUndefined();
  });
});
