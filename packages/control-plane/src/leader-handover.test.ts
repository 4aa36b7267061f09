import { refs } from '@coracle/api';
import { Activity, noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { expect, test } from 'vitest';
import { startControlPlane } from './control-plane.js';

const names = ['kube-controller-manager', 'kube-scheduler'];

/** What several processes on one etcd share. */
async function sharedStore() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const activity = new Activity();
  const clock = new VirtualClock({ busy: () => activity.busy });
  const store = await createMemoryStore({ clock });
  const start = async (identity: string) => {
    const plane = await startControlPlane({
      store,
      clock,
      activity,
      random: seededRandom(1),
      logger: silentLogger,
      metrics: noMetrics,
      tracer: noTracer,
      signingKeys: { id: 'test', algorithm: 'ES256', ...pair },
      leaderElection: { identity },
    });
    await clock.settle();
    return plane;
  };
  return { start, clock };
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

test('LE-2 the leases are given up though the work could not be ended in time', async () => {
  const { start } = await sharedStore();
  const first = await start('first');
  first.server.refuse();
  await first[Symbol.asyncDispose]();
  await using second = await start('second');
  const { spec } = await second.client.resource(refs.leases, 'kube-system').get('kube-controller-manager');
  expect(spec?.holderIdentity).toBe('second');
});
