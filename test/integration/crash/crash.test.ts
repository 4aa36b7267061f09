import { refs } from '@coracle/api';
import { seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { finalState, ownerOf, stepsOf } from './crash-workload.js';
import { MortalComponent, type Mortality } from './mortal-component.js';

const deaths = 200;
const stepCount = 48;

/** Runs the workload while the controller manager and the scheduler crash now and then. */
async function play(deathsLeft: number) {
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 2,
    seed: 1,
    components: { controllers: false, scheduler: false },
  });
  const mortality: Mortality = { random: seededRandom(3), deathsLeft, longestLife: 12 };
  await cluster.client.serviceAccounts('default').create({ metadata: { name: 'default' } });
  const created = recordPods(cluster);
  const components = (['manager', 'scheduler'] as const).map((kind) => new MortalComponent(kind, cluster, mortality));
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await cluster.clock.advance('1s');
      for (const one of components) if (one.isDead) one.revive();
    }
  };
  for (const step of stepsOf(seededRandom(11), stepCount)) {
    await step(cluster);
    await pass(10);
  }
  await pass(60);
  const state = await finalState(cluster);
  const ended = Promise.all(components.map((one) => one.end()));
  await cluster.clock.advance('1m');
  await ended;
  await created.informers[Symbol.asyncDispose]();
  return { state, deaths: deathsLeft - mortality.deathsLeft, ...created.counts() };
}

/** Every pod that ever was, by its owner, and how often pods got a node. */
function recordPods(cluster: Cluster) {
  const pods = new Map<string, string>();
  const bindings = new Map<string, Set<string>>();
  const informers = createInformers({ ...cluster, random: seededRandom(1), logger: silentLogger });
  informers.for(refs.pods).addHandler(({ type, object }) => {
    const { uid = '' } = object.metadata;
    if (type === 'added') pods.set(uid, ownerOf(object));
    const { nodeName } = object.spec ?? {};
    if (nodeName) bindings.set(uid, (bindings.get(uid) ?? new Set()).add(nodeName));
  });
  informers.start();
  const counts = () => {
    const byOwner: Record<string, number> = {};
    for (const owner of pods.values()) byOwner[owner] = (byOwner[owner] ?? 0) + 1;
    return { created: byOwner, boundTwice: [...bindings.values()].filter(({ size }) => size > 1).length };
  };
  return { informers, counts };
}

test('the controller manager and the scheduler crash 200 times without an effect on the result', async () => {
  const undisturbed = await play(0);
  const disturbed = await play(deaths);
  expect(disturbed.deaths).toBe(deaths);
  expect(disturbed.state).toEqual(undisturbed.state);
  expect(disturbed.created).toEqual(undisturbed.created);
  expect(disturbed.boundTwice).toBe(0);
}, 300_000);
