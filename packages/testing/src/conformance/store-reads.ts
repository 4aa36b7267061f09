import { describe, expect, test } from 'vitest';
import { codeOf, del, put, shown, textOf, write } from './store-access.js';
import type { MakeStore } from './store-harness.js';

export function describeReads(makeStore: MakeStore): void {
  describe('reads', () => {
    test('a key that was never written is absent', async () => {
      await using harness = await makeStore();
      expect(await harness.store.get('/a')).toBeUndefined();
    });

    test('OP-10 OP-11 a value is returned with its revisions', async () => {
      await using harness = await makeStore();
      const created = await write(harness.store, put('/a', 'one'));
      const updated = await write(harness.store, put('/a', 'two'));
      const item = await harness.store.get('/a');
      expect(item && textOf(item.value)).toBe('two');
      expect(item).toMatchObject({
        key: '/a',
        createRevision: created,
        modRevision: updated,
        version: 2,
        lease: 0,
      });
    });

    test('a key that was deleted and created again starts at version 1', async () => {
      await using harness = await makeStore();
      await write(harness.store, put('/a', 'one'));
      await write(harness.store, del('/a'));
      expect(await harness.store.get('/a')).toBeUndefined();
      const revision = await write(harness.store, put('/a', 'two'));
      expect(await harness.store.get('/a')).toMatchObject({
        createRevision: revision,
        modRevision: revision,
        version: 1,
      });
    });

    test('OP-3 OP-4 a list has the keys under the prefix in byte order and nothing else', async () => {
      await using harness = await makeStore();
      for (const key of ['/pods/b', '/pods/a/x', '/pods/a', '/podsets/a', '/pod', '/pods/é', '/pods/~']) {
        await write(harness.store, put(key, 'x'));
      }
      const { items, count, more } = await harness.store.list('/pods/');
      expect(items.map((item) => item.key)).toEqual(['/pods/a', '/pods/a/x', '/pods/b', '/pods/~', '/pods/é']);
      expect({ count, more }).toEqual({ count: 5, more: false });
      expect(await harness.store.count('/pods/')).toBe(5);
      expect(await harness.store.count('/nothing/')).toBe(0);
    });

    test('a list is as fresh as the last acknowledged write and says so', async () => {
      await using harness = await makeStore();
      const revision = await write(harness.store, put('/a', 'x'));
      expect((await harness.store.list('/')).revision).toBe(revision);
      expect(await harness.store.currentRevision()).toBe(revision);
    });

    test('pages are consecutive, and have the remaining count', async () => {
      await using harness = await makeStore();
      for (let i = 0; i < 7; i++) await write(harness.store, put(`/a/${i}`, 'x'));
      const first = await harness.store.list('/a/', { limit: 3 });
      expect(first.items.map((item) => item.key)).toEqual(['/a/0', '/a/1', '/a/2']);
      expect({ count: first.count, more: first.more }).toEqual({ count: 7, more: true });
      const second = await harness.store.list('/a/', { limit: 3, startKey: '/a/2\0' });
      expect(second.items.map((item) => item.key)).toEqual(['/a/3', '/a/4', '/a/5']);
      expect({ count: second.count, more: second.more }).toEqual({ count: 4, more: true });
      const third = await harness.store.list('/a/', { limit: 3, startKey: '/a/5\0' });
      expect(third.items.map((item) => item.key)).toEqual(['/a/6']);
      expect({ count: third.count, more: third.more }).toEqual({ count: 1, more: false });
    });

    test('an older revision shows the store as it was: changed, deleted and later keys alike', async () => {
      await using harness = await makeStore();
      await write(harness.store, put('/a/changed', 'old'));
      await write(harness.store, put('/a/gone', 'here'));
      await write(harness.store, put('/a/reborn', 'first life'));
      const then = await write(harness.store, put('/a/same', 'same'));
      await write(harness.store, put('/a/changed', 'new'), put('/a/later', 'x'));
      await write(harness.store, del('/a/gone'));
      await write(harness.store, del('/a/reborn'));
      await write(harness.store, put('/a/reborn', 'second life'));
      const { items, count } = await harness.store.list('/a/', { revision: then });
      expect(items.map(shown)).toEqual(['/a/changed=old', '/a/gone=here', '/a/reborn=first life', '/a/same=same']);
      expect(count).toBe(4);
      expect(shown(await harness.store.get('/a/gone', { revision: then }))).toBe('/a/gone=here');
      expect(await harness.store.get('/a/later', { revision: then })).toBeUndefined();
      const page = await harness.store.list('/a/', { revision: then, limit: 2 });
      expect(page.items.map(shown)).toEqual(['/a/changed=old', '/a/gone=here']);
      expect(page.more).toBe(true);
    });

    test('a revision that does not exist yet is refused', async () => {
      await using harness = await makeStore();
      const revision = await write(harness.store, put('/a', 'x'));
      expect(await codeOf(() => harness.store.get('/a', { revision: revision + 1 }))).toBe('FutureRevision');
      expect(await codeOf(() => harness.store.list('/', { revision: revision + 1 }))).toBe('FutureRevision');
    });

    test('a store that was closed says so', async () => {
      const harness = await makeStore();
      await harness.store[Symbol.asyncDispose]();
      expect(await codeOf(() => harness.store.get('/a'))).toBe('Closed');
      expect(await codeOf(() => write(harness.store, put('/a', 'x')))).toBe('Closed');
      await harness[Symbol.asyncDispose]();
    });
  });
}
