import { refs } from '@coracle/api';
import { expect, test } from 'vitest';
import { controlPlaneGround, startOn } from './control-plane.fixture.js';

const names = ['kube-controller-manager', 'kube-scheduler'];

/** What several processes on one etcd share. */
async function sharedStore() {
  const ground = await controlPlaneGround();
  const start = (identity: string) => startOn(ground, { leaderElection: { identity } });
  return { start, clock: ground.clock };
}

test('LE-2 a process that ends in order leaves its leases to the next one, which leads without waiting', async () => {
  const { start, clock } = await sharedStore();
  const first = await start('first');
  await first[Symbol.asyncDispose]();
  const startedAt = clock.now();
  await using second = await start('second');
  for (const name of names) {
    const { spec } = await second.client.resource(refs.leases, 'kube-system').get(name);
    expect(spec).toMatchObject({ holderIdentity: 'second', leaseDurationSeconds: 15, leaseTransitions: 1 });
  }
  expect(clock.now() - startedAt).toBeLessThan(1_000);
});

test('LE-2 the leases are released though the work could not be ended in time', async () => {
  const { start } = await sharedStore();
  const first = await start('first');
  first.server.refuse();
  await first[Symbol.asyncDispose]();
  await using second = await start('second');
  const { spec } = await second.client.resource(refs.leases, 'kube-system').get('kube-controller-manager');
  expect(spec?.holderIdentity).toBe('second');
});
