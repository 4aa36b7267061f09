import { createEtcdStore, systemClock } from '@coracle/platform-nodejs';
import { type Store, StoreError, type StoreErrorCode } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { EtcdCluster, hasEtcd } from './etcd-process.js';

const mebibyte = 2 ** 20;

function put(store: Store, key: string, bytes: number) {
  const value = new Uint8Array(bytes).fill(120);
  return store.transact({ compare: [{ key, modRevision: 0 }], operations: [{ kind: 'put', key, value }] });
}

/** How a write ends, and whether that took less than the retries of a call. */
async function outcome(
  write: Promise<unknown>,
): Promise<{ code: StoreErrorCode | 'written' | 'other'; soon: boolean }> {
  const begun = performance.now();
  const code = await write.then(
    () => 'written' as const,
    (error: unknown) => (StoreError.is(error) ? error.code : ('other' as const)),
  );
  return { code, soon: performance.now() - begun < 8_000 };
}

describe.skipIf(!hasEtcd)('limits of an etcd (needs the program etcd)', () => {
  test('when its quota is used up writes fail at once and say so; reads and deletes go on', async () => {
    await using cluster = await EtcdCluster.start(1, ['--quota-backend-bytes', String(8 * mebibyte)]);
    await using store = await createEtcdStore({ endpoints: cluster.endpoints, clock: systemClock });
    let last = await outcome(put(store, '/0', mebibyte));
    for (let i = 1; last.code === 'written' && i < 50; i++) last = await outcome(put(store, `/${i}`, mebibyte));
    expect(last).toEqual({ code: 'NoSpace', soon: true });
    const stored = await store.get('/0');
    expect(stored?.value.length).toBe(mebibyte);
    const removed = await store.transact({
      compare: [{ key: '/0', modRevision: stored?.modRevision ?? 0 }],
      operations: [{ kind: 'delete', key: '/0' }],
    });
    expect(removed.succeeded).toBe(true);
  }, 60_000);

  test.each([
    ['more than it accepts', 128 * 1024],
    ['more than its server of gRPC reads', mebibyte],
  ])(
    '%s is too large, at once',
    async (_name, bytes) => {
      await using cluster = await EtcdCluster.start(1, ['--max-request-bytes', String(64 * 1024)]);
      await using store = await createEtcdStore({ endpoints: cluster.endpoints, clock: systemClock });
      expect(await outcome(put(store, '/a', bytes))).toEqual({ code: 'TooLarge', soon: true });
    },
    60_000,
  );
});
