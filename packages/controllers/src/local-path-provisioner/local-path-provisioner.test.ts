import { type PersistentVolumeClaim, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planLocalVolume } from './plan-local-volume.js';

const storageClass = {
  metadata: { name: 'local-path' },
  provisioner: 'coracle.dev/local-path',
  volumeBindingMode: 'WaitForFirstConsumer',
};

function claim(spec: object = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data',
      namespace: 'default',
      uid: 'u',
      annotations: { 'volume.kubernetes.io/selected-node': 'n' },
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

describe('the volume for a claim', () => {
  test('is a directory of the chosen node', () => {
    expect(planLocalVolume(claim(), storageClass, '/volumes')).toMatchObject({
      kind: 'create',
      volume: { metadata: { name: 'pvc-u' }, spec: { hostPath: { path: '/volumes/pvc-u_default_data' } } },
    });
  });

  test.each([
    ['ReadWriteMany', { accessModes: ['ReadWriteMany'] }],
    ['Block', { volumeMode: 'Block' }],
    ['selector', { selector: { matchLabels: { a: 'b' } } }],
  ])('is not provisioned with %s', (word, spec) => {
    const plan = planLocalVolume(claim(spec), storageClass, '/volumes');
    expect(plan.kind === 'refuse' && plan.message).toContain(word);
  });

  test('needs a class that waits for the first consumer', () => {
    expect(planLocalVolume(claim(), { ...storageClass, volumeBindingMode: 'Immediate' }, '/volumes').kind).toBe(
      'refuse',
    );
  });
});

describe('on a cluster with nodes', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
  });
  afterEach(() => cluster.stop());

  test('a claim of the default class gets a volume with its pod, which is deleted with the claim', async () => {
    const claims = cluster.client.resource(refs.persistentVolumeClaims, 'default');
    const volumes = cluster.client.resource(refs.persistentVolumes);
    const pods = cluster.client.pods('default');
    const { metadata: _old, ...claimWithoutMetadata } = claim();
    await claims.create({ ...claimWithoutMetadata, metadata: { name: 'data' } });
    await cluster.settled();
    expect((await claims.get('data')).status?.phase).toBe('Pending');
    const spec = {
      containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
    };
    await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'user' }, spec });
    await cluster.settled();
    await cluster.clock.advance('5s');
    expect((await claims.get('data')).status?.phase).toBe('Bound');
    expect((await pods.get('user')).status?.phase).toBe('Running');
    await pods.delete('user', { gracePeriodSeconds: 0 });
    await claims.delete('data');
    await cluster.clock.advance('1m');
    expect((await volumes.list()).items).toEqual([]);
  });
});

test('a control plane without nodes has no default class', async () => {
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  expect((await cluster.client.resource(refs.storageClasses).list()).items).toEqual([]);
  await cluster.stop();
});
