import type { Pod, StatefulSet } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { app: 'db' };
const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

describe('stateful sets', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 3, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const sets = () => cluster.client.statefulSets('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const names = async () => (await pods()).map(({ metadata }) => metadata.name);
  const images = async () => (await pods()).map(({ spec }) => spec?.containers?.[0]?.image);
  const claims = async () => (await cluster.client.persistentVolumeClaims('default').list()).items;

  const make = async (spec: Partial<NonNullable<StatefulSet['spec']>> = {}, annotations = {}) => {
    const template = { metadata: { labels, annotations }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
    await sets().create({
      metadata: { name: 'db' },
      spec: { serviceName: 'db', replicas: 3, selector: { matchLabels: labels }, template, ...spec },
    });
    await cluster.settled();
  };
  const setImage = async (image: string) => {
    const patch = { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } };
    await sets().patch('db', patch, { type: 'strategic' });
    await cluster.settled();
  };
  const scale = async (replicas: number) => {
    await sets().patch('db', { spec: { replicas } }, { type: 'merge' });
    await cluster.settled();
  };

  test('give their pods ordinals and labels', async () => {
    await make();
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2']);
    const pod = await cluster.client.pods('default').get('db-1');
    const { status } = await sets().get('db');
    expect(pod.metadata.labels).toEqual({
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'statefulset.kubernetes.io/pod-name': 'db-1',
      'controller-revision-hash': status?.updateRevision,
    });
    expect(pod.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' });
    expect(status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: status?.updateRevision,
      collisionCount: 0,
    });
  });

  test('create each pod only when the previous one is ready', async () => {
    await make({}, { 'simulation.coracle.dev/start-delay': '10s' });
    expect(await names()).toEqual(['db-0']);
    await cluster.clock.advance('11s');
    expect(await names()).toEqual(['db-0', 'db-1']);
    await cluster.clock.advance('30s');
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2']);
  });

  test('create all pods at once with Parallel', async () => {
    await make({ podManagementPolicy: 'Parallel' }, { 'simulation.coracle.dev/start-delay': '10s' });
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2']);
  });

  test('start at spec.ordinals.start', async () => {
    await make({ ordinals: { start: 5 } });
    expect(await names()).toEqual(['db-5', 'db-6', 'db-7']);
  });

  test('scale down from the highest ordinal', async () => {
    await make();
    await scale(1);
    await cluster.clock.advance('2m');
    expect(await names()).toEqual(['db-0']);
  });

  test('roll out from the highest ordinal down to the partition', async () => {
    await make({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await setImage('i:2');
    await cluster.clock.advance('5m');
    expect(await images()).toEqual(['i:1', 'i:1', 'i:2']);
    const { status } = await sets().get('db');
    expect(status).toMatchObject({ updatedReplicas: 1, currentReplicas: 2 });
    expect(status?.currentRevision).not.toBe(status?.updateRevision);

    await cluster.client.pods('default').delete('db-0');
    await cluster.clock.advance('2m');
    expect(await images()).toEqual(['i:1', 'i:1', 'i:2']);

    const patch = { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } };
    await sets().patch('db', patch, { type: 'merge' });
    await cluster.clock.advance('5m');
    expect(await images()).toEqual(['i:2', 'i:2', 'i:2']);
    const after = (await sets().get('db')).status;
    expect(after?.currentRevision).toBe(after?.updateRevision);
  });

  test('roll out pods that go at once, without a partition', async () => {
    const spec = { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i:1' }] };
    await make({ updateStrategy: { type: 'RollingUpdate' }, template: { metadata: { labels }, spec } });
    await setImage('i:2');
    await cluster.clock.advance('1m');
    expect(await images()).toEqual(['i:2', 'i:2', 'i:2']);
    const { status } = await sets().get('db');
    expect(status).toMatchObject({ updatedReplicas: 3, currentReplicas: 3, currentRevision: status?.updateRevision });
  });

  test('change nothing with OnDelete', async () => {
    await make({ updateStrategy: { type: 'OnDelete' } });
    await setImage('i:2');
    await cluster.clock.advance('5m');
    expect(await images()).toEqual(['i:1', 'i:1', 'i:1']);
    await cluster.client.pods('default').delete('db-1');
    await cluster.clock.advance('2m');
    expect(await images()).toEqual(['i:1', 'i:2', 'i:1']);
  });

  test('replace pods that have ended', async () => {
    await make();
    const pod = await cluster.client.pods('default').get('db-1');
    await cluster.client.pods('default').updateStatus({ ...pod, status: { ...pod.status, phase: 'Failed' } });
    await cluster.clock.advance('2m');
    const again = await cluster.client.pods('default').get('db-1');
    expect(again.metadata.uid).not.toBe(pod.metadata.uid);
    expect(again.status?.phase).toBe('Running');
  });

  test('wait for pods to be available, not just ready', async () => {
    await make({ minReadySeconds: 30 });
    expect(await names()).toEqual(['db-0']);
    await cluster.clock.advance('31s');
    expect(await names()).toEqual(['db-0', 'db-1']);
  });

  test('give each pod its own claims, which are kept', async () => {
    await make({ volumeClaimTemplates: [claimTemplate], podManagementPolicy: 'Parallel' });
    expect((await claims()).map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    const pod = await cluster.client.pods('default').get('db-1');
    expect(pod.spec?.volumes?.[0]).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } });
    await scale(1);
    await cluster.clock.advance('5m');
    expect(await claims()).toHaveLength(3);
  });

  test('get a new claim after a claim and its pod were deleted', async () => {
    for (const name of ['one', 'two'])
      await cluster.client.persistentVolumes().create({
        metadata: { name },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: `/${name}` } },
      });
    await make({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    expect((await pods()).map(({ status }) => status?.phase)).toEqual(['Running']);
    const [before] = await claims();
    await cluster.client.persistentVolumeClaims('default').delete('data-db-0');
    await cluster.client.pods('default').delete('db-0');
    await cluster.clock.advance('2m');
    const [after] = await claims();
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect((await pods()).map(({ status }) => status?.phase)).toEqual(['Running']);
  });

  test('get a claim that was deleted while its pod waits for a node', async () => {
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'c', image: 'i:1' }], nodeSelector: { disk: 'fast' } },
    };
    await make({ replicas: 1, volumeClaimTemplates: [claimTemplate], template });
    expect((await pods()).map(({ status }) => status?.phase)).toEqual(['Pending']);
    const [before] = await claims();
    await cluster.client.persistentVolumeClaims('default').delete('data-db-0');
    await cluster.clock.advance('1m');
    expect((await claims()).map(({ metadata }) => metadata.name)).toEqual(['data-db-0']);
    expect((await claims())[0]?.metadata.uid).not.toBe(before?.metadata.uid);
  });

  test('delete claims by their retention policy', async () => {
    await make({
      volumeClaimTemplates: [claimTemplate],
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await scale(1);
    await cluster.clock.advance('5m');
    // Others are being deleted, or deleted where they have no finalizer.
    const left = (await claims()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['data-db-0']);
    expect(left[0]?.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', name: 'db' }]);
  });

  test('record an event when a new retention policy changes the owners of claims', async () => {
    await make({ volumeClaimTemplates: [claimTemplate], replicas: 1 });
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
    await sets().patch('db', { spec: { persistentVolumeClaimRetentionPolicy } }, { type: 'merge' });
    await cluster.settled();
    expect((await claims())[0]?.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', name: 'db' }]);
    const events = (await cluster.client.events('default').list()).items;
    expect(events.filter(({ reason }) => reason === 'SuccessfulUpdate').map(({ message }) => message)).toEqual([
      'Update Pod db-0 in StatefulSet db successful',
    ]);
  });
});
