import { describe, expect, test } from 'vitest';
import { codeOf, put, Recorder, shown, write } from './store-access.js';
import type { MakeStore } from './store-harness.js';

/** Real etcd takes no shorter one, and looks for ended ones every half second. */
const ttlSeconds = 2;
const graceMs = 2500;

export function describeLeases(makeStore: MakeStore): void {
  describe('OP-15 leases', () => {
    test('keys under a lease are deleted when it expires, and watchers are notified', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const lease = await store.grantLease(ttlSeconds);
      expect(lease.ttlSeconds).toBe(ttlSeconds);
      await write(store, put('/a', 'x', lease.id), put('/b', 'x', lease.id));
      await write(store, put('/c', 'x'));
      const recorder = new Recorder();
      using _ = store.watch('/', (await store.currentRevision()) + 1, recorder);
      expect((await store.get('/a'))?.lease).toBe(lease.id);
      await harness.passTime(ttlSeconds * 1000 + graceMs);
      expect((await recorder.untilEvents(2)).sort()).toEqual(['-/a', '-/b']);
      expect((await store.list('/')).items.map(shown)).toEqual(['/c=x']);
    });

    test('a key that was written again without the lease stays', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const { id } = await store.grantLease(60);
      await write(store, put('/a', '1', id));
      await write(store, put('/a', '2'));
      await store.revokeLease(id);
      expect(shown(await store.get('/a'))).toBe('/a=2');
    });

    test('revoking deletes its keys at once and under one revision', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const { id } = await store.grantLease(60);
      const before = await write(store, put('/a', 'x', id), put('/b', 'x', id));
      await store.revokeLease(id);
      expect((await store.list('/')).items).toEqual([]);
      expect(await store.currentRevision()).toBe(before + 1);
    });

    test('a lease that is not there is refused', async () => {
      await using harness = await makeStore();
      const { store } = harness;
      const { id } = await store.grantLease(60);
      await store.revokeLease(id);
      expect(await codeOf(() => store.revokeLease(id))).toBe('LeaseNotFound');
      expect(await codeOf(() => write(store, put('/a', 'x', id)))).toBe('LeaseNotFound');
      expect(await store.get('/a')).toBeUndefined();
    });
  });
}
