import { silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store, StoreError, type WatchListener } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { ChangeFeed } from './change-feed.js';

const value = new TextEncoder().encode('x');

async function start(wrap: (store: Store) => Store = (store) => store) {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const feed = new ChangeFeed('/registry/', { store: wrap(store), clock, logger: silentLogger });
  const put = (key: string) => store.transact({ compare: [], operations: [{ kind: 'put', key, value }] });
  const listen = (prefix: string) => {
    const seen: string[] = [];
    feed.subscribe(prefix, {
      onEvents: (events) => void seen.push(...events.map(({ keyValue }) => keyValue.key)),
      onGap: () => void seen.push('gap'),
    });
    return seen;
  };
  return { clock, store, feed, put, listen };
}

describe('the feed of changes', () => {
  test('KEY-02 notifies each listener of changes below its prefix, of one segment or two', async () => {
    const { feed, put, listen } = await start();
    const pods = listen('/registry/pods/');
    const services = listen('/registry/services/specs/');
    await feed.start();
    await put('/registry/pods/default/a');
    await put('/registry/services/specs/default/b');
    await put('/registry/services/endpoints/default/b');
    expect(pods).toEqual(['/registry/pods/default/a']);
    expect(services).toEqual(['/registry/services/specs/default/b']);
  });

  test('reaches every revision of the store, for any writes', async () => {
    const { feed, store, put } = await start();
    await feed.start();
    await put('/registry/other/a');
    expect(await feed.waitFor(await store.currentRevision(), 1000)).toBe(true);
  });

  test('CACHE-25 times out for a revision that is not reached', async () => {
    const { feed, clock } = await start();
    await feed.start();
    const waiting = feed.waitFor(1000, 3000);
    await clock.advance(3000);
    expect(await waiting).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('CACHE-03 restarts a second after the watch has failed, and reports a gap', async () => {
    let fail = (_error: Error) => {};
    const { feed, put, listen, clock } = await start((store) => ({
      ...bound(store),
      watch: (prefix: string, from: number, listener: WatchListener) => {
        fail = (error) => listener.onError(error);
        return store.watch(prefix, from, listener);
      },
    }));
    const seen = listen('/registry/pods/');
    await feed.start();
    fail(new StoreError('Compacted', 'too old'));
    await put('/registry/pods/default/a');
    await clock.advance(1000);
    await put('/registry/pods/default/b');
    expect(seen).toEqual(['gap', '/registry/pods/default/b']);
  });
});

/** The store's methods, which tests override individually. */
function bound(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
    ownKeys: () => ['currentRevision', 'list', 'get', 'transact', 'count', 'grantLease', 'revokeLease', 'compact'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}
