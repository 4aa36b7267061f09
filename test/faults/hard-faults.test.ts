import { type Deployment, refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createClient, createInformers } from '@coracle/client';
import { createMemoryStore } from '@coracle/store';
import {
  type FaultRates,
  Faults,
  faultyStore,
  faultyTransport,
  hardFaults,
  startPermissiveApiServer,
} from '@coracle/testing';
import { describe, expect, test } from 'vitest';
import { startCluster } from '../../packages/cluster/src/index.js';
import { faultySeams } from './faulty-seams.js';
import { insist, settleBesideClock } from './insist.js';

const second = 1_000;

const deployment = (image: string, replicas: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image }] },
    },
  },
});

describe('a cluster with hard faults at transport, clock and runtime', () => {
  test.each([1, 2])('reaches the desired state (seed %i)', { timeout: 120_000 }, async (seed) => {
    let faults: Faults | undefined;
    const cluster = await startCluster({
      listen: false,
      clock: 'virtual',
      nodes: 1,
      seed,
      wrap: (deps) => {
        const { faults: made, seams } = faultySeams(deps, { seed, rates: hardFaults });
        faults = made;
        made.stop();
        const { store: _sound, ...wrappers } = seams;
        return wrappers;
      },
    });
    await cluster.settled();
    faults?.start();
    const deployments = cluster.client.resource(refs.deployments, 'default');
    const pods = cluster.client.resource(refs.pods, 'default');
    const apply = (image: string, replicas: number) =>
      insist(cluster, () => deployments.apply(deployment(image, replicas), { fieldManager: 'test', force: true }));

    await apply('app:1', 4);
    await cluster.clock.advance(20 * second);
    await apply('app:2', 3);
    await cluster.clock.advance(40 * second);
    faults?.stop();
    await cluster.clock.advance(240 * second);
    const running = await pods.list();
    expect(running.items.map(({ spec, status }) => `${spec?.containers[0]?.image} ${status?.phase}`)).toEqual(
      Array.from({ length: 3 }, () => 'app:2 Running'),
    );
    expect((await deployments.get('web')).status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });

    faults?.start();
    await insist(cluster, () => deployments.delete('web'));
    await cluster.clock.advance(30 * second);
    faults?.stop();
    await cluster.clock.advance(240 * second);
    expect((await pods.list()).items).toEqual([]);
    for (const name of cluster.nodes.names)
      expect(await cluster.nodes.runtimeOf(name)?.listPodSandbox({ filter: { state: { state: 0 } } })).toEqual({
        items: [],
      });
    for (const kind of Object.keys(hardFaults) as (keyof FaultRates)[]) expect(faults?.counts[kind]).toBeGreaterThan(0);
    await cluster.stop();
  });
});

describe('informers on an API server whose store fails', () => {
  test.each([1, 2, 3, 4])('have the state of the store, and got each version once (seed %i)', async (seed) => {
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const faults = new Faults({ random: seededRandom(seed), rates: hardFaults });
    faults.stop();
    const server = await startPermissiveApiServer({ clock, store: faultyStore(store, faults) });
    const transport = faultyTransport({ exchange: server.exchange }, faults);
    const user = { name: 'tester', groups: ['system:masters'] };
    const client = createClient({ transport, user });
    const informers = createInformers({ client, clock, random: seededRandom(seed), logger: silentLogger });
    const seen: string[] = [];
    const maps = informers.for(refs.configMaps, { namespace: 'default' });
    const version = ({ metadata }: KubeObject) => `${metadata.name}@${metadata.resourceVersion}`;
    maps.addHandler((event) => {
      if (event.type !== 'deleted') seen.push(version(event.object));
    });
    informers.start();
    await clock.settle();
    faults.start();
    const direct = client.resource(refs.configMaps, 'default');
    for (let i = 0; i < 120; i++) {
      const name = `m${i % 7}`;
      const write =
        i % 11 === 10
          ? direct.delete(name)
          : direct.apply(
              { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { i: `${i}` } },
              {
                fieldManager: 'test',
                force: true,
              },
            );
      await settleBesideClock(clock, write);
      if (i % 20 === 19) await store.compact(await store.currentRevision()).catch(() => undefined);
    }
    faults.stop();
    await clock.advance(300 * second);
    const { items } = await direct.list();
    expect(maps.list().map(version).sort()).toEqual(items.map(version).sort());
    expect(new Set(seen).size).toBe(seen.length);
    expect(faults.counts.cut).toBeGreaterThan(0);
    await informers[Symbol.asyncDispose]();
  });
});
