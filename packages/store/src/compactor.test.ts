import { VirtualClock } from '@coracle/base';
import { expect, test, vi } from 'vitest';
import { Compactor, type CompactorOptions } from './compactor.js';
import { createMemoryStore } from './embedded/create-store.js';
import type { Store } from './store.js';

const value = new Uint8Array(1);
const minute = 60_000;

async function makeStore(): Promise<{ clock: VirtualClock; store: Store; write: () => Promise<number> }> {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const write = async () =>
    (await store.transact({ compare: [], operations: [{ kind: 'put', key: '/a', value }] })).revision;
  return { clock, store, write };
}

async function isKept(store: Store, revision: number): Promise<boolean> {
  return await store.get('/a', { revision }).then(
    () => true,
    () => false,
  );
}

test.each([
  { options: {}, keptFor: 75_000 },
  { options: { keepMs: 10 * minute }, keptFor: 10 * minute },
])('with $options a revision is kept for $keptFor ms at least, and then compacted', async ({ options, keptFor }) => {
  const { clock, store, write } = await makeStore();
  using _ = new Compactor({ store, clock, ...options });
  await clock.advance(7 * minute);
  const revision = await write();
  await write();
  await clock.advance(keptFor);
  expect(await isKept(store, revision)).toBe(true);
  await clock.advance(keptFor + 10 * minute);
  expect(await isKept(store, revision)).toBe(false);
  expect(await store.get('/a')).toBeDefined();
});

test('when much is written, history is cut down to so many revisions, but for the last seconds', async () => {
  const { clock, store, write } = await makeStore();
  using _ = new Compactor({ store, clock, maxRevisions: 100 });
  const written: number[] = [];
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 10; i++) written.push(await write());
    await clock.advance(1_000);
  }
  const [first = 0] = written;
  expect(await isKept(store, first)).toBe(false);
  expect(await isKept(store, written.at(-200) ?? 0)).toBe(true);
});

test('when much is written, history that was read is compacted as soon as it is old enough', async () => {
  const { clock, store, write } = await makeStore();
  using _ = new Compactor({ store, clock, maxRevisions: 100, keepMs: 75_000 });
  const first = await write();
  for (let i = 0; i < 200; i++) await write();
  await clock.advance(75_000);
  expect(await isKept(store, first)).toBe(true);
  await clock.advance(30_000);
  expect(await isKept(store, first)).toBe(false);
});

test('a store without writes is not compacted', async () => {
  const { clock, store } = await makeStore();
  using _ = new Compactor({ store, clock });
  await clock.advance(60 * minute);
  expect(await store.currentRevision()).toBe(1);
});

test('ETCD-17 OP-8 of several compactors of a shared store, one compacts in an interval', async () => {
  const { clock, store, write } = await makeStore();
  const compact = vi.spyOn(store, 'compact');
  const options: CompactorOptions = { store, clock, shared: true };
  using _first = new Compactor(options);
  using _second = new Compactor(options);
  using _third = new Compactor(options);
  for (let interval = 1; interval <= 4; interval++) {
    await write();
    await clock.advance(5 * minute);
    expect(compact).toHaveBeenCalledTimes(interval);
  }
});

test('ends with the store', async () => {
  const { clock, store } = await makeStore();
  using _ = new Compactor({ store, clock });
  await store[Symbol.asyncDispose]();
  await clock.advance(10 * minute);
  expect(clock.pending).toBe(0);
});
