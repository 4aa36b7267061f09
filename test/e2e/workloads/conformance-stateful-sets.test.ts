import { type Pod, refs, type StatefulSet } from '@coracle/api';
import type { WatchEvent } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { foo: 'bar', baz: 'blah' };
const revisionLabel = 'controller-revision-hash';

/** The steps of upstream's conformance tests of stateful sets. A gate stands for the probe that they break and restore. */
describe('stateful sets as the conformance tests use them', () => {
  let cluster: Cluster;
  const events: WatchEvent<Pod>[] = [];
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
    events.length = 0;
    cluster.client
      .pods('default')
      .openWatch({ labelSelector: 'foo=bar' }, { event: (event) => void events.push(event), end: () => undefined });
  });
  afterEach(() => cluster.stop());

  const sets = () => cluster.client.resource(refs.statefulSets, 'default');
  const pods = async (): Promise<Pod[]> =>
    (await cluster.client.pods('default').list({ labelSelector: 'foo=bar' })).items.sort((a, b) =>
      (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1,
    );
  const create = async (replicas: number, more: object = {}, podSpec: object = {}) => {
    const spec = { containers: [{ name: 'webserver', image: 'httpd:1' }], ...podSpec };
    const template = { metadata: { labels }, spec };
    await sets().create({
      metadata: { name: 'ss' },
      spec: { serviceName: 'test', replicas, selector: { matchLabels: labels }, template, ...more },
    });
    await cluster.clock.advance('1m');
  };
  const change = async (spec: object) => {
    await sets().patch('ss', { spec }, { type: 'strategic' });
    await cluster.clock.advance('1m');
  };
  const status = async (): Promise<NonNullable<StatefulSet['status']>> =>
    (await sets().get('ss')).status ?? { replicas: 0 };
  const ordered = (type: string) =>
    events.filter((event) => event.type === type).map(({ object }) => object.metadata.name);

  /** All pods that there are pass their probe, or fail it. */
  const gate = 'example.com/probe';
  const probe = async (passes: boolean, only = /./) => {
    for (const { metadata } of (await pods()).filter((pod) => only.test(pod.metadata.name ?? ''))) {
      const condition = { type: gate, status: passes ? 'True' : 'False' };
      const patch = { status: { conditions: [condition] } };
      await cluster.client
        .pods('default')
        .patch(metadata.name ?? '', patch, { type: 'strategic', subresource: 'status' });
    }
    await cluster.clock.advance('10s');
  };
  const gated = { readinessGates: [{ conditionType: gate }] };
  /** New pods pass the probe one after the other, as they come up. */
  const probeAll = async () => {
    for (let round = 0; round < 4; round++) await probe(true);
  };

  test('Scaling should happen in predictable order and halt if any stateful pod is unhealthy', async () => {
    await create(1, {}, gated);
    await probe(true);
    await probe(false);
    await change({ replicas: 3 });
    expect(await pods()).toHaveLength(1);
    await probeAll();
    expect(await status()).toMatchObject({ readyReplicas: 3 });
    expect(ordered('ADDED')).toEqual(['ss-0', 'ss-1', 'ss-2']);
    await probe(false);
    await change({ replicas: 0 });
    expect(await pods()).toHaveLength(3);
    await probe(true);
    await cluster.clock.advance('2m');
    expect(ordered('DELETED')).toEqual(['ss-2', 'ss-1', 'ss-0']);
    expect((await status()).replicas).toBe(0);
  });

  test('Burst scaling should run to completion even with unhealthy pods', async () => {
    await create(1, { podManagementPolicy: 'Parallel' }, gated);
    await change({ replicas: 3 });
    expect(await pods()).toHaveLength(3);
    expect((await status()).readyReplicas ?? 0).toBe(0);
    await change({ replicas: 0 });
    expect(await pods()).toEqual([]);
  });

  const images = async () => (await pods()).map(({ spec }) => spec?.containers?.[0]?.image);
  const revisions = async () => (await pods()).map(({ metadata }) => metadata.labels?.[revisionLabel]);
  const setImage = (image: string) => change({ template: { spec: { containers: [{ name: 'webserver', image }] } } });
  const setPartition = (partition: number) =>
    change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });

  test('should perform canary updates and phased rolling updates of template modifications', async () => {
    const rollingUpdate = { partition: 3 };
    await create(3, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    await setImage('httpd:2');
    const { currentRevision, updateRevision } = await status();
    expect(currentRevision).not.toBe(updateRevision);
    expect(await images()).toEqual(['httpd:1', 'httpd:1', 'httpd:1']);
    await setPartition(2);
    expect(await images()).toEqual(['httpd:1', 'httpd:1', 'httpd:2']);
    for (const name of ['ss-0', 'ss-2']) await cluster.client.pods('default').delete(name);
    await cluster.clock.advance('2m');
    expect(await images()).toEqual(['httpd:1', 'httpd:1', 'httpd:2']);
    expect(await revisions()).toEqual([currentRevision, currentRevision, updateRevision]);
    await setPartition(1);
    expect(await images()).toEqual(['httpd:1', 'httpd:2', 'httpd:2']);
    await setPartition(0);
    expect(await images()).toEqual(['httpd:2', 'httpd:2', 'httpd:2']);
    expect((await status()).currentRevision).toBe(updateRevision);
  });

  test('should perform rolling updates and roll backs of template modifications', async () => {
    await create(3, {}, gated);
    await probeAll();
    const first = (await status()).updateRevision;
    const roll = async (image: string, deleted: number) => {
      await probe(false, /ss-1/);
      await setImage(image);
      expect(ordered('DELETED')).toHaveLength(deleted);
      const during = await status();
      expect(during.currentRevision).not.toBe(during.updateRevision);
      await probe(true, /ss-1/);
      await probeAll();
      await cluster.clock.advance('1m');
      await probeAll();
      expect(await images()).toEqual([image, image, image]);
      expect((await status()).currentRevision).toBe(during.updateRevision);
      return during.updateRevision;
    };
    expect(await roll('httpd:2', 0)).not.toBe(first);
    expect(ordered('DELETED')).toEqual(['ss-2', 'ss-1', 'ss-0']);
    expect(await roll('httpd:1', 3)).toBe(first);
  });

  test('Should recreate evicted statefulset', async () => {
    const node = (await cluster.client.nodes().list()).items[0]?.metadata.name ?? '';
    const ports = [{ name: 'conflict', hostPort: 21017, containerPort: 21017 }];
    const containers = [{ name: 'webserver', image: 'httpd:1', ports }];
    await cluster.client.pods('default').create({ metadata: { name: 'taken' }, spec: { nodeName: node, containers } });
    await cluster.settled();
    await create(1, {}, { nodeName: node, containers });
    expect(ordered('DELETED').length).toBeGreaterThan(0);
    const { uid } = events.find(({ type }) => type === 'DELETED')?.object.metadata ?? {};
    await cluster.client.pods('default').delete('taken', { gracePeriodSeconds: 0 });
    await cluster.clock.advance('2m');
    const [pod] = await pods();
    expect(pod?.status?.phase).toBe('Running');
    expect(pod?.metadata.uid).not.toBe(uid);
  });
});
