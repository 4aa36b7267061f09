import {
  type Cluster,
  createManager,
  type KubeObject,
  type Manager,
  type ResourceRef,
  refs,
  startCluster,
} from 'coracle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Website } from './website.js';
import { addWebsiteController, type HostNames, hostNameFinalizer } from './website-controller.js';

let cluster: Cluster;
let manager: Manager;
const hosts = new Set<string>();
let unreachable = false;

const hostNames: HostNames = {
  register: async (host) => reach(() => hosts.add(host)),
  release: async (host) => reach(() => hosts.delete(host)),
};

function reach(change: () => void): void {
  if (unreachable) throw new Error('the registrar does not answer');
  change();
}

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
  const { client, clock, activity } = cluster;
  await client.customResourceDefinitions().create(Website.crd);
  await cluster.settled();
  manager = createManager({ client, clock, activity, random: { next: () => 0.5 }, cache: { deepFreeze: true } });
  addWebsiteController(manager, { clock, hostNames });
  void manager.start();
});
afterAll(async () => {
  await manager.stop();
  await cluster.stop();
});

const websites = () => cluster.client.resource(Website, 'default');

/** Creates a website for a test, and waits until its pods run. */
async function make(name: string): Promise<Website> {
  const spec = { host: `${name}.example.org`, pages: { 'index.html': '<h1>Shop</h1>' }, replicas: 2 };
  await websites().create(Website.make({ metadata: { name, namespace: 'default' }, spec }));
  await cluster.clock.advance('5s');
  return websites().get(name);
}

describe('a website', () => {
  test('becomes a deployment, a service and a config map that it owns', async () => {
    const { uid } = (await make('shop')).metadata;
    const map = await cluster.client.configMaps('default').get('shop');
    const service = await cluster.client.services('default').get('shop');
    const deployment = await cluster.client.deployments('default').get('shop');
    expect(map.data).toEqual({ 'index.html': '<h1>Shop</h1>' });
    expect(service.spec?.ports).toMatchObject([{ port: 80 }]);
    expect(deployment.spec).toMatchObject({
      replicas: 2,
      template: { spec: { containers: [{ image: 'nginx:1.29' }] } },
    });
    for (const { metadata } of [map, service, deployment])
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'Website', name: 'shop', uid, controller: true }]);
  });

  test('is ready when its pods are, and has its address in the status', async () => {
    const { status, metadata } = await make('ready');
    expect(status).toMatchObject({
      readyReplicas: 2,
      url: 'http://ready.example.org/',
      conditions: [
        { type: 'Ready', status: 'True', reason: 'AllReplicasReady', observedGeneration: metadata.generation },
      ],
    });
  });

  test('becomes idle: nothing is written when nothing changes', async () => {
    const before = (await make('quiet')).metadata.resourceVersion;
    const generation = (await cluster.client.deployments('default').get('quiet')).metadata.generation;
    await cluster.clock.advance('1m');
    expect((await websites().get('quiet')).metadata.resourceVersion).toBe(before);
    expect((await cluster.client.deployments('default').get('quiet')).metadata.generation).toBe(generation);
  });

  test('rolls new pages out', async () => {
    await make('fresh');
    await websites().patch('fresh', { spec: { pages: { 'index.html': 'new' } } }, { type: 'merge' });
    await cluster.settled();
    expect((await cluster.client.configMaps('default').get('fresh')).data).toEqual({ 'index.html': 'new' });
    expect((await cluster.client.deployments('default').get('fresh')).metadata.generation).toBe(2);
  });

  test('is scaled as everything is', async () => {
    await make('grown');
    await websites().patch('grown', { spec: { replicas: 3 } }, { type: 'merge', subresource: 'scale' });
    await cluster.clock.advance('5s');
    expect((await websites().get('grown')).status?.readyReplicas).toBe(3);
  });

  test('restores what a user deletes', async () => {
    await make('robbed');
    await cluster.client.services('default').delete('robbed');
    await cluster.client
      .configMaps('default')
      .patch('robbed', { data: { 'index.html': 'spoiled' } }, { type: 'merge' });
    await cluster.settled();
    expect((await cluster.client.services('default').get('robbed')).metadata.name).toBe('robbed');
    expect((await cluster.client.configMaps('default').get('robbed')).data).toEqual({ 'index.html': '<h1>Shop</h1>' });
  });

  test('releases its host name before it is deleted, with retries, and its dependents are deleted', async () => {
    const { metadata } = await make('gone');
    expect(metadata.finalizers).toEqual([hostNameFinalizer]);
    expect(hosts).toContain('gone.example.org');
    unreachable = true;
    await websites().delete('gone');
    await cluster.clock.advance('10s');
    expect((await websites().get('gone')).metadata.deletionTimestamp).toBeDefined();
    unreachable = false;
    await cluster.clock.advance('20s');
    await expect(websites().get('gone')).rejects.toThrow('websites.example.org "gone" not found');
    expect(hosts).not.toContain('gone.example.org');
    for (const ref of [refs.configMaps, refs.services, refs.deployments])
      await expect(cluster.client.resource(ref as ResourceRef<KubeObject>, 'default').get('gone')).rejects.toThrow(
        'not found',
      );
  });

  test('is reported in events', async () => {
    await make('loud');
    const { items } = await cluster.client.events('default').list({ fieldSelector: 'involvedObject.name=loud' });
    expect(items.find(({ involvedObject }) => involvedObject.kind === 'Website')).toMatchObject({
      reason: 'Created',
      message: 'Created deployment loud',
    });
  });

  test.each([
    ['has a page', { host: 'a.org', pages: {} }, /spec.pages.*at least 1 properties/],
    ['has not too many servers', { host: 'a.org', pages: { a: '' }, replicas: 11 }, /less than or equal to 10/],
    ['has a host name', { host: 'a b', pages: { a: '' } }, /must be of type hostname/],
  ])('%s', async (_, spec, message) => {
    // TypeScript would refuse it already: the server is tested here.
    const wrong = { metadata: { name: 'wrong' }, spec } as Website;
    await expect(websites().create(wrong)).rejects.toThrow(message);
  });
});
