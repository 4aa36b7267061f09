import { objectOfKind } from '@coracle/apimachinery';
import { nextTurn, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { ObjectFormat } from '../storage/object-format.js';
import { SharedLeases } from '../storage/shared-leases.js';
import { ChangeFeed } from './change-feed.js';
import { ResourceStorage } from './resource-storage.js';

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName: string };
}

async function startStorage() {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const feed = new ChangeFeed('/registry/', { store, clock, logger: silentLogger });
  const storage = new ResourceStorage(
    {
      prefix: '/registry/pods/',
      namespaced: true,
      format: new ObjectFormat('v1', 'Pod'),
      indexedFields: { 'spec.nodeName': (object) => objectOfKind<Pod>(object).spec.nodeName },
    },
    { store, feed, leases: new SharedLeases(store, clock), clock },
  );
  await feed.start();
  await storage.cache.load();
  const create = async (namespace: string, name: string, nodeName: string) => {
    const outcome = await storage.create(storage.key(namespace, name), makePod(name, nodeName));
    if (outcome.kind !== 'written') throw new Error('taken');
    return outcome.stored;
  };
  return { clock, store, storage, create };
}

const makePod = (name: string, nodeName: string) => ({ metadata: { name }, spec: { nodeName } });

describe('the watch cache', () => {
  test('CACHE-18 STORE-31 finds objects by namespace and by indexed field, also after they have moved', async () => {
    const { storage, create } = await startStorage();
    const pod = await create('a', 'x', 'node-1');
    await create('b', 'y', 'node-2');
    const on = (node: string) =>
      storage.cache
        .list({ namespace: '', field: { name: 'spec.nodeName', value: node } })
        .map(({ object }) => object.metadata.name);
    expect(on('node-1')).toEqual(['x']);
    await storage.replace(pod, makePod('x', 'node-2'));
    expect(on('node-1')).toEqual([]);
    expect(on('node-2')).toEqual(['x', 'y']);
    expect(storage.cache.list({ namespace: 'b' })).toHaveLength(1);
    expect(storage.cache.count('a')).toBe(1);
  });

  test('CACHE-18 notifies watches with a field selector of objects that begin and cease to match', async () => {
    const { storage, create } = await startStorage();
    const seen: string[] = [];
    const scope = { kind: 'field', name: 'spec.nodeName', value: 'node-1' } as const;
    storage.cache.watch(scope, { onEvent: ({ key }) => void seen.push(key), onEnd: () => {} });
    const pod = await create('a', 'x', '');
    const outcome = await storage.replace(pod, makePod('x', 'node-1'));
    await create('a', 'y', 'node-2');
    if (outcome.kind === 'written') await storage.replace(outcome.stored, makePod('x', 'node-2'));
    expect(seen).toEqual(['/registry/pods/a/x', '/registry/pods/a/x']);
  });

  test('ETCD-05 and ETCD-10 accepts only the first of two writers', async () => {
    const { storage, create } = await startStorage();
    const pod = await create('a', 'x', '');
    expect((await storage.create(pod.key, makePod('x', ''))).kind).toBe('conflict');
    const [first, second] = await Promise.all([
      storage.replace(pod, makePod('x', 'node-1')),
      storage.replace(pod, makePod('x', 'node-2')),
    ]);
    expect([first.kind, second.kind].sort()).toEqual(['conflict', 'written']);
    expect((await storage.remove(pod)).kind).toBe('conflict');
  });

  test('writes what expires under a new lease when another client has revoked the shared one', async () => {
    const { storage, store } = await startStorage();
    const pod = (name: string) => storage.create(storage.key('a', name), makePod(name, ''), 3600);
    await pod('x');
    await store.revokeLease((await store.get(storage.key('a', 'x')))?.lease ?? 0);
    expect((await Promise.all([pod('y'), pod('z')])).map(({ kind }) => kind)).toEqual(['written', 'written']);
    const [y, z] = await Promise.all(['y', 'z'].map((name) => store.get(storage.key('a', name))));
    expect(y?.lease).toBe(z?.lease);
  });

  test('ends a watch that begins after it was closed', async () => {
    const { storage } = await startStorage();
    storage[Symbol.dispose]();
    let ends = 0;
    using _ = storage.cache.watch({ kind: 'all' }, { onEvent: () => {}, onEnd: () => ends++ });
    await nextTurn();
    expect(ends).toBe(1);
  });

  test('does not decode objects written in this process, and shares them', async () => {
    const { storage, create } = await startStorage();
    const pod = await create('a', 'x', '');
    expect(storage.cache.get(pod.key)).toBe(pod);
    expect(await storage.read(pod.key)).toBe(pod);
  });

  test('CACHE-03 CACHE-23 reads everything again after a gap, and keeps readers waiting until then', async () => {
    const { storage, create, store } = await startStorage();
    await create('a', 'x', '');
    storage.cache.onGap();
    expect(storage.cache.loading).toBeDefined();
    expect(await storage.isFresh(await store.currentRevision())).toBe(true);
    expect(storage.cache.loading).toBeUndefined();
    expect(storage.cache.list({ namespace: '' })).toHaveLength(1);
  });
});
