import { type PersistentVolumeClaim, type Pod, refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { usesClaim } from './claims-of-pod.js';

const deletionTimestamp = '2026-01-01T00:00:00Z';

describe('usesClaim', () => {
  const byClaim = { name: 'data', persistentVolumeClaim: { claimName: 'c' } };
  const ephemeral = { name: 'scratch', ephemeral: {} };
  const madeFor = { name: 'p-scratch', ownerReferences: [{ controller: true, uid: 'pod-uid' }] };
  const cases: { name: string; pod: Partial<Pod>; claim?: object; used: boolean }[] = [
    {
      name: 'a scheduled pod uses its claim',
      pod: { spec: { nodeName: 'n', volumes: [byClaim] } as never },
      used: true,
    },
    { name: 'a pod without a node does not', pod: { spec: { volumes: [byClaim] } as never }, used: false },
    {
      name: 'a pod that has ended does, while it is there',
      pod: { spec: { nodeName: 'n', volumes: [byClaim] } as never, status: { phase: 'Succeeded' } },
      used: true,
    },
    { name: 'a pod with other volumes does not', pod: { spec: { nodeName: 'n', volumes: [] } as never }, used: false },
    {
      name: 'a pod uses the claim that was made for its ephemeral volume',
      pod: { spec: { nodeName: 'n', volumes: [ephemeral] } as never },
      claim: madeFor,
      used: true,
    },
    {
      name: 'but not one of the same name that is not its own',
      pod: { spec: { nodeName: 'n', volumes: [ephemeral] } as never },
      claim: { name: 'p-scratch' },
      used: false,
    },
    {
      name: 'nor when the kubelet has finished with it',
      pod: {
        metadata: { name: 'p', namespace: 'a', uid: 'pod-uid', deletionTimestamp, deletionGracePeriodSeconds: 0 },
        spec: { nodeName: 'n', volumes: [ephemeral] } as never,
      },
      claim: madeFor,
      used: false,
    },
  ];
  test.each(cases)('$name', ({ pod, claim = { name: 'c' }, used }) => {
    const metadata = { name: 'p', namespace: 'a', uid: 'pod-uid' };
    const metadataOfClaim = { namespace: 'a', ...claim } as PersistentVolumeClaim['metadata'];
    expect(usesClaim({ metadata, ...pod } as Pod, { metadata: metadataOfClaim })).toBe(used);
  });
});

describe('protection of volumes', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const claims = () => cluster.client.resource(refs.persistentVolumeClaims, 'default');
  const volumes = () => cluster.client.resource(refs.persistentVolumes);
  const pods = () => cluster.client.resource(refs.pods, 'default');
  const resources = { requests: { storage: '1Gi' } };
  const isGone = async (get: () => Promise<unknown>) => {
    await cluster.settled();
    return await get().then(() => false, isNotFound);
  };
  const addClaim = () =>
    claims().create({ metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteOnce'], resources } });

  test('a claim that no pod uses is removed when it is deleted', async () => {
    expect((await addClaim()).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await claims().delete('c');
    await cluster.settled();
    expect(await isGone(() => claims().get('c'))).toBe(true);
  });

  test('a claim that a pod uses stays until the pod is deleted', async () => {
    await addClaim();
    const volume = { name: 'data', persistentVolumeClaim: { claimName: 'c' } };
    await pods().create({
      metadata: { name: 'p' },
      spec: {
        nodeName: 'coracle-node-1',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'app' }],
        volumes: [volume],
      },
    });
    await cluster.settled();
    await claims().delete('c');
    await cluster.clock.advance(1_000);
    expect((await claims().get('c')).metadata.deletionTimestamp).toBeDefined();
    await pods().delete('p', { gracePeriodSeconds: 0 });
    await cluster.clock.advance(60_000);
    expect(await isGone(() => claims().get('c'))).toBe(true);
  });

  test('a claim without the finalizer gets it', async () => {
    const { metadata } = await addClaim();
    await claims().patch('c', { metadata: { finalizers: null } }, { type: 'merge' });
    await cluster.settled();
    expect((await claims().get('c')).metadata).toMatchObject({
      uid: metadata.uid,
      finalizers: ['kubernetes.io/pvc-protection'],
    });
  });

  test('a volume stays while it is bound, and is removed when its claim is deleted', async () => {
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/data' },
    };
    await volumes().create({ metadata: { name: 'free' }, spec });
    await volumes().create({
      metadata: { name: 'bound' },
      spec: { ...spec, claimRef: { namespace: 'default', name: 'c' } },
    });
    await claims().create({
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName: '', volumeName: 'bound' },
    });
    await cluster.clock.advance(30_000);
    expect((await volumes().get('bound')).status?.phase).toBe('Bound');
    for (const name of ['free', 'bound']) await volumes().delete(name);
    expect(await isGone(() => volumes().get('free'))).toBe(true);
    expect(await isGone(() => volumes().get('bound'))).toBe(false);
    await claims().delete('c');
    await cluster.clock.advance(30_000);
    expect(await isGone(() => volumes().get('bound'))).toBe(true);
  });

  test('a VolumeAttributesClass stays while a claim names it', async () => {
    const classes = cluster.client.resource(refs.volumeAttributesClasses);
    await classes.create({ metadata: { name: 'fast' }, driverName: 'csi.example.org', parameters: { iops: '1' } });
    await claims().create({
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources, volumeAttributesClassName: 'fast' },
    });
    await classes.delete('fast');
    expect(await isGone(() => classes.get('fast'))).toBe(false);
    await claims().delete('c');
    await cluster.settled();
    expect(await isGone(() => classes.get('fast'))).toBe(true);
  });
});
