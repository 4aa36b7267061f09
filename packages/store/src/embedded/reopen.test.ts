import { concatBytes, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { BackendWrite } from '../backend.js';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import { createEmbeddedStore } from './create-store.js';
import { MemoryBackend } from './memory-backend.js';

/** A backend that outlives its store, and may fail at the n-th write like a power loss. */
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

const text = (value: string) => new TextEncoder().encode(value);
const value = text('x');
const put = async (store: Store, key: string, lease = 0) =>
  (await store.transact({ compare: [], operations: [{ kind: 'put', key, value, lease }] })).revision;
const remove = (store: Store, key: string) => store.transact({ compare: [], operations: [{ kind: 'delete', key }] });

describe('a store that is opened again', () => {
  test('continues with its revisions, values and history', async () => {
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

  test('still rejects compacted revisions, and never assigns a revision twice', async () => {
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

  test('whose log cannot be read ends the watch that begins there, and takes further writes', async () => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const store = await createEmbeddedStore({ backend, clock });
    const made = await put(store, '/a');
    const range = backend.range.bind(backend);
    backend.range = () => {
      throw new Error('a page of the database is damaged');
    };
    const errors: unknown[] = [];
    store.watch('/', made, { onEvents: () => {}, onError: (error) => void errors.push(error) });
    await clock.settle();
    backend.range = range;
    expect(errors).toMatchObject([
      { code: 'Unavailable', message: 'the log could not be read: a page of the database is damaged' },
    ]);
    expect(await put(store, '/b')).toBe(made + 1);
  });

  test('written by another version, is refused', async () => {
    const backend = new LastingBackend();
    await backend.write([{ key: new TextEncoder().encode('mformat'), value: new Uint8Array(8).fill(7) }]);
    const opening = createEmbeddedStore({ backend, clock: new VirtualClock() });
    await expect(opening).rejects.toSatisfy((error) => StoreError.is(error, 'Corrupt'));
  });
});

/** A database as format 2 had it: `/plain` was put twice, and `/leased` under lease 7, which ends at `endsAt`. */
function writtenByFormat2(endsAt: number): BackendWrite[] {
  const bytes = (length: number, fill: (view: DataView) => void) => {
    const made = new Uint8Array(length);
    fill(new DataView(made.buffer));
    return made;
  };
  const key = (space: string, rest: Uint8Array | string) =>
    concatBytes([text(space), typeof rest === 'string' ? text(rest) : rest]);
  const number = (at: number) => bytes(8, (view) => view.setFloat64(0, at));
  const position = (revision: number) => bytes(12, (view) => view.setBigUint64(0, BigInt(revision)));
  const id = bytes(8, (view) => view.setBigUint64(0, 7n));
  const record = (name: string, version: number, lease: number, previous: number) =>
    concatBytes([
      bytes(37, (view) => {
        view.setBigUint64(1, lease > 0 ? 4n : 2n);
        view.setUint32(9, version);
        view.setBigUint64(13, BigInt(lease));
        view.setBigUint64(21, BigInt(previous));
        view.setUint32(33, name.length);
      }),
      text(name),
      text(`${name} ${version}`),
    ]);
  const live = (revision: number, created: number, version: number, lease: number) =>
    bytes(32, (view) => {
      view.setBigUint64(0, BigInt(revision));
      view.setBigUint64(12, BigInt(created));
      view.setUint32(20, version);
      view.setBigUint64(24, BigInt(lease));
    });
  return [
    { key: key('m', 'format'), value: number(2) },
    { key: key('m', 'lastLease'), value: number(7) },
    { key: key('l', id), value: number(endsAt) },
    { key: key('a', concatBytes([id, text('/leased')])), value: new Uint8Array(0) },
    { key: key('r', position(2)), value: record('/plain', 1, 0, 0) },
    { key: key('r', position(3)), value: record('/plain', 2, 0, 2) },
    { key: key('r', position(4)), value: record('/leased', 1, 7, 0) },
    { key: key('k', '/plain'), value: live(3, 2, 2, 0) },
    { key: key('k', '/leased'), value: live(4, 4, 1, 7) },
  ];
}

describe('a database of format 2', () => {
  async function open() {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    await backend.write(writtenByFormat2(clock.now() + 60_000));
    const store = await createEmbeddedStore({ backend, clock });
    const shown = async (key: string, revision?: number) => {
      const found = await store.get(key, revision === undefined ? {} : { revision });
      return found && `${new TextDecoder().decode(found.value)} of ${found.createRevision}, lease ${found.lease}`;
    };
    return { backend, clock, store, shown };
  }

  test('is read with its history, and written in the new format', async () => {
    const { backend, clock, store, shown } = await open();
    expect([await shown('/plain'), await shown('/plain', 2)]).toEqual([
      '/plain 2 of 2, lease 0',
      '/plain 1 of 2, lease 0',
    ]);
    expect(await shown('/leased')).toBe('/leased 1 of 4, lease 7');
    expect((await store.list('/')).items.map(({ key, version }) => `${key} ${version}`)).toEqual([
      '/leased 1',
      '/plain 2',
    ]);
    expect(await put(store, '/plain')).toBe(5);
    expect(await shown('/plain', 3)).toBe('/plain 2 of 2, lease 0');
    await store.compact(5);
    const again = await createEmbeddedStore({ backend, clock });
    expect(await again.get('/plain')).toMatchObject({ createRevision: 2, modRevision: 5, version: 3 });
  });

  test('its leases end with all their keys, and leave nothing behind', async () => {
    const { backend, clock, store } = await open();
    await put(store, '/late', 7);
    await clock.advance(60_000);
    expect((await store.list('/')).items.map(({ key }) => key)).toEqual(['/plain']);
    const left = [...backend.range(Uint8Array.of(0), Uint8Array.of(0xff))].map(([key]) => String.fromCharCode(key[0]!));
    expect(left.filter((space) => space === 'a' || space === 'l')).toEqual([]);
  });
});

/** A database as format 3 had it: compaction left the records that are needed where they stood in the log. */
async function writtenByFormat3(): Promise<LastingBackend> {
  const backend = new LastingBackend();
  const store = await createEmbeddedStore({ backend, clock: new VirtualClock() });
  for (let i = 0; i < 100; i++) {
    await put(store, `/a/${i}`);
    await put(store, '/often');
  }
  await store.compact(await put(store, '/last'));
  await store[Symbol.asyncDispose]();
  const settled = [...backend.range(text('q'), text('r'))];
  expect(settled.length).toBe(101);
  const inLog = settled.flatMap(([key, value]) => [{ key }, { key: concatBytes([text('r'), key.subarray(1)]), value }]);
  const format = { key: text('mformat'), value: Uint8Array.of(0x40, 0x08, 0, 0, 0, 0, 0, 0) };
  await backend.write([...inLog, format]);
  return backend;
}

describe('a database of format 3', () => {
  test('is read, and its old records are removed by later compactions', async () => {
    const backend = await writtenByFormat3();
    const store = await createEmbeddedStore({ backend, clock: new VirtualClock() });
    expect((await store.list('/')).items.length).toBe(102);
    expect(await store.get('/often')).toMatchObject({ version: 100 });
    for (let i = 0; i < 100; i += 2) await put(store, `/a/${i}`);
    for (let i = 1; i < 100; i += 2) await remove(store, `/a/${i}`);
    await store.compact(await put(store, '/often'));
    expect((await store.list('/')).items.length).toBe(52);
    // A record and an entry of the index for each key, and three numbers.
    expect(backend.size).toBe(52 * 2 + 3);
  });
});

describe('leases', () => {
  test('end with the keys that were last put under them, after any changes', async () => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const store = await createEmbeddedStore({ backend, clock });
    const { id } = await store.grantLease(60);
    const { id: other } = await store.grantLease(600);
    for (let i = 0; i < 20; i++) {
      await put(store, `/a/${i}`, id);
      await put(store, `/between/${i}`);
    }
    await put(store, '/a/1', other);
    await put(store, '/a/2');
    await remove(store, '/a/3');
    await put(store, '/a/3');
    await put(store, '/a/4', id);
    await store.compact(await put(store, '/last'));
    const again = await createEmbeddedStore({ backend, clock });
    await clock.advance(60_000);
    const left = (await again.list('/a/')).items.map(({ key }) => key);
    expect(left).toEqual(['/a/1', '/a/2', '/a/3']);
    await clock.advance(600_000);
    expect((await again.list('/a/')).items.map(({ key }) => key)).toEqual(['/a/2', '/a/3']);
  });

  test('a failed write does not lose later keys of a lease', async () => {
    const backend = new LastingBackend();
    const clock = new VirtualClock();
    const store = await createEmbeddedStore({ backend, clock });
    const { id } = await store.grantLease(60);
    backend.writesLeft = 0;
    await expect(put(store, '/a', id)).rejects.toThrow('power lost');
    backend.writesLeft = Number.POSITIVE_INFINITY;
    await put(store, '/a', id);
    const again = await createEmbeddedStore({ backend, clock });
    await clock.advance(60_000);
    expect((await again.list('/')).items).toEqual([]);
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

  test('leaves the same records in the backend as a fresh store with this content', async () => {
    const { backend, store } = await busyStore();
    await store.compact(await put(store, '/last'));
    const fresh = new LastingBackend();
    const other = await createEmbeddedStore({ backend: fresh, clock: new VirtualClock() });
    for (let i = 0; i < 5; i++) await put(other, `/a/${i}`);
    await other.compact(await put(other, '/last'));
    expect(backend.size).toBe(fresh.size);
  });

  test('interrupted at any write it is finished by the next one, and the store is consistent at every one', async () => {
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
