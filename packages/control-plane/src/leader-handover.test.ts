import { refs } from '@coracle/api';
import type { Clock } from '@coracle/base';
import { expect, test } from 'vitest';
import { controlPlaneGround, startOn } from './control-plane.fixture.js';

const names = ['kube-controller-manager', 'kube-scheduler'];

/** Shared by several processes on one etcd. */
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

test('a leader whose timers are late writes nothing when others may lead', async () => {
  const ground = await controlPlaneGround();
  let isStopped = false;
  const late: (() => void)[] = [];
  const clock: Clock = {
    now: () => ground.clock.now(),
    elapsed: () => ground.clock.elapsed(),
    schedule: (delayMs, task) => ground.clock.schedule(delayMs, () => (isStopped ? void late.push(task) : task())),
  };
  await using leader = await startOn(ground, { clock, leaderElection: { identity: 'a' } });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const podsOf = async (name: string) => {
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await leader.client.replicaSets(name).create({ metadata: { name }, spec });
    await ground.clock.settle();
    return (await leader.client.pods(name).list()).items.length;
  };
  for (const name of ['before', 'after']) {
    await leader.client.namespaces().create({ metadata: { name } });
    await leader.client
      .serviceAccounts(name)
      .create({ metadata: { name: 'default' } })
      .catch(() => undefined);
  }
  await ground.clock.settle();
  expect(await podsOf('before')).toBe(1);
  isStopped = true;
  await ground.clock.advance(15_000);
  expect(await podsOf('after')).toBe(0);
  isStopped = false;
  for (const task of late.splice(0)) task();
  await ground.clock.settle();
});
