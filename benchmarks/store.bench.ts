import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomSuffix, seededRandom, VirtualClock } from '@coracle/base';
import { createLmdbStore } from '@coracle/platform-nodejs';
import { createMemoryStore, type Store } from '@coracle/store';
import { bench, describe } from 'vitest';

/** One iteration is so many transactions, each of a client that waits for its answer. */
const writers = 32;
/** 3 kB of JSON that compresses about as well as a pod does. */
const value = new TextEncoder().encode(makeObject());
const clock = new VirtualClock();

const openers: Record<string, () => Promise<Store>> = {
  memory: () => createMemoryStore({ clock }),
  lmdb: () => createLmdbStore({ path: newDirectory(), clock }),
};

for (const [name, open] of Object.entries(openers)) {
  for (const objects of [1000, 100_000]) {
    describe(`${name} store of ${objects} objects of 3 kB`, () => {
      let filled: Promise<Store> | undefined;
      // Opened on first use, so that no store is filled while another is measured.
      const opened = () => (filled ??= open().then((store) => fill(store, objects)));
      let next = 0;
      bench(`${writers} updates at once`, async () => {
        const store = await opened();
        await Promise.all(Array.from({ length: writers }, () => put(store, keyOf(next++ % objects))));
      });
      bench('one get', async () => {
        await (await opened()).get(keyOf(next++ % objects));
      });
      bench('a list of 500', async () => {
        await (await opened()).list('/registry/pods/', { limit: 500 });
      });
      bench('a count', async () => {
        await (await opened()).count('/registry/pods/');
      });
    });
  }
}

describe('a database of 100000 objects', () => {
  const path = newDirectory();
  let filled: Promise<void> | undefined;
  bench('is opened, read once and closed', async () => {
    filled ??= createLmdbStore({ path, clock })
      .then((store) => fill(store, 100_000))
      .then((store) => store[Symbol.asyncDispose]());
    await filled;
    const store = await createLmdbStore({ path, clock });
    await store.get(keyOf(1));
    await store[Symbol.asyncDispose]();
  });
});

function makeObject(): string {
  const random = seededRandom(1);
  const env = Array.from({ length: 45 }, () => ({
    name: `VAR_${randomSuffix(random, 8)}`,
    value: randomSuffix(random, 24),
  }));
  return JSON.stringify({ kind: 'Pod', apiVersion: 'v1', spec: { containers: [{ name: 'c', env }] } });
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'coracle-bench-'));
}

async function fill(store: Store, objects: number): Promise<Store> {
  for (let from = 0; from < objects; from += 1000) {
    await Promise.all(Array.from({ length: 1000 }, (_, i) => put(store, keyOf(from + i))));
  }
  return store;
}

function put(store: Store, key: string): Promise<unknown> {
  return store.transact({ compare: [], operations: [{ kind: 'put', key, value }] });
}

function keyOf(index: number): string {
  return `/registry/pods/default/pod-${String(index).padStart(6, '0')}`;
}
