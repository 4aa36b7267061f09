import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { expect, test } from 'vitest';
import { SharedLeases } from './shared-leases.js';

test.each([
  { ttl: 100, sharedForMs: 5_000 },
  { ttl: 3600, sharedForMs: 60_000 },
])('ETCD-16 keys that live for $ttl s share a lease for $sharedForMs ms, and none expires earlier', async (row) => {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const leases = new SharedLeases(store, clock);
  const first = await leases.forTtl(row.ttl);
  await clock.advance(row.sharedForMs - 1);
  const last = await leases.forTtl(row.ttl);
  expect(last).toBe(first);
  const put = { kind: 'put', key: '/a', value: new Uint8Array([1]), lease: last } as const;
  await store.transact({ compare: [], operations: [put] });
  await clock.advance(1);
  expect(await leases.forTtl(row.ttl)).not.toBe(first);
  expect(await leases.forTtl(row.ttl + 1)).not.toBe(await leases.forTtl(row.ttl));
  await clock.advance(row.ttl * 1000 - 2);
  expect(await store.get('/a')).toBeDefined();
  await clock.advance(row.sharedForMs + 2_000);
  expect(await store.get('/a')).toBeUndefined();
});
