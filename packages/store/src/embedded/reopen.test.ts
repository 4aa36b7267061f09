import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { BackendWrite } from '../backend.js';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import { createEmbeddedStore } from './create-store.js';
import { MemoryBackend } from './memory-backend.js';

/** A backend that outlives the store over it, and may lose power at the n-th write. */
class LastingBackend extends MemoryBackend {
  writesLeft = Number.POSITIVE_INFINITY;

  override async write(writes: readonly BackendWrite[]): Promise<void> {
    if (this.writesLeft-- <= 0) throw new Error('power lost');
    await super.write(writes);
  }

  override async [Symbol.asyncDispose](): Promise<void> {}

  get size(): number {
    return this.count(Uint8Array.of(0), Uint8Array.of(0xff));
  }
}

const value = new TextEncoder().encode('x');
const put = async (store: Store, key: string, lease = 0) =>
  (await store.transact({ compare: [], operations: [{ kind: 'put', key, value, lease }] })).revision;
const remove = (store: Store, key: string) => store.transact({ compare: [], operations: [{ kind: 'delete', key }] });

describe('a store that is opened again', () => {
  test('goes on with its revisions, values and history', async () => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const first = await createEmbeddedStore({ backend, clock });
    await put(first, '/a');
    const last = await put(first, '/a');
    await remove(first, '/a');
    await first[Symbol.asyncDispose]();
    const second = await createEmbeddedStore({ backend, clock });
    expect(await second.currentRevision()).toBe(last + 1);
    expect(await second.get('/a')).toBeUndefined();
    expect(await second.get('/a', { revision: last })).toMatchObject({ version: 2 });
    expect(await put(second, '/a')).toBe(last + 2);
  });

  test('still refuses what was compacted, and never gives a revision away twice', async () => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const first = await createEmbeddedStore({ backend, clock });
    const made = await put(first, '/a');
    const { revision } = await remove(first, '/a');
    await first.compact(revision);
    const second = await createEmbeddedStore({ backend, clock });
    await expect(second.get('/a', { revision: made })).rejects.toSatisfy((error) => StoreError.is(error, 'Compacted'));
    expect(await put(second, '/b')).toBe(revision + 1);
  });

  test.each([
    { downMs: 30_000, wantAtOnce: ['/a'] },
    { downMs: 90_000, wantAtOnce: [] },
  ])('counts the $downMs ms that it was down as part of a lease of 60 s', async ({ downMs, wantAtOnce }) => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const first = await createEmbeddedStore({ backend, clock });
    const { id } = await first.grantLease(60);
    await put(first, '/a', id);
    await first[Symbol.asyncDispose]();
    await clock.advance(downMs);
    const second = await createEmbeddedStore({ backend, clock });
    await clock.settle();
    expect((await second.list('/')).items.map((item) => item.key)).toEqual(wantAtOnce);
    expect((await second.grantLease(60)).id).toBeGreaterThan(id);
    await clock.advance(30_000);
    expect((await second.list('/')).items).toEqual([]);
  });

  test('written by another version, is refused', async () => {
    const backend = new LastingBackend();
    await backend.write([{ key: new TextEncoder().encode('mformat'), value: new Uint8Array(8).fill(7) }]);
    const opening = createEmbeddedStore({ backend, clock: new VirtualClock() });
    await expect(opening).rejects.toSatisfy((error) => StoreError.is(error, 'Corrupt'));
  });
});

describe('compaction', () => {
  async function busyStore() {
    const backend = new LastingBackend();
    const store = await createEmbeddedStore({ backend, clock: new VirtualClock() });
    for (let i = 0; i < 500; i++) await put(store, `/a/${i % 5}`);
    for (let i = 0; i < 500; i++) {
      await put(store, `/gone/${i}`);
      await remove(store, `/gone/${i}`);
    }
    return { backend, store };
  }

  test('leaves of the backend what a store of the same content would hold', async () => {
    const { backend, store } = await busyStore();
    await store.compact(await put(store, '/last'));
    const fresh = new LastingBackend();
    const other = await createEmbeddedStore({ backend: fresh, clock: new VirtualClock() });
    for (let i = 0; i < 5; i++) await put(other, `/a/${i}`);
    await other.compact(await put(other, '/last'));
    expect(backend.size).toBe(fresh.size);
  });

  test('cut short at any write is finished by the next, and the store is whole at every one', async () => {
    for (let writesLeft = 0; ; writesLeft++) {
      const { backend, store } = await busyStore();
      const revision = await put(store, '/last');
      backend.writesLeft = writesLeft;
      const finished = await store.compact(revision).then(
        () => true,
        () => false,
      );
      backend.writesLeft = Number.POSITIVE_INFINITY;
      const again = await createEmbeddedStore({ backend, clock: new VirtualClock() });
      expect((await again.list('/', { revision })).items.map((item) => item.key)).toEqual([
        ...Array.from({ length: 5 }, (_, i) => `/a/${i}`),
        '/last',
      ]);
      await again.compact(await put(again, '/last'));
      expect(backend.size).toBe(6 * 2 + 3);
      if (finished) break;
    }
  });
});
