import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import type { PersistentVolumeBinderOptions } from './persistent-volume-binder.js';

async function startWithClaim(options: PersistentVolumeBinderOptions): Promise<Cluster> {
  const cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { persistentVolumeBinder: options },
  });
  await cluster.client
    .resource(refs.storageClasses)
    .create({ metadata: { name: 'fast' }, provisioner: 'example.com/prov' });
  await cluster.client.resource(refs.persistentVolumeClaims, 'default').create({
    metadata: { name: 'c' },
    spec: {
      storageClassName: 'fast',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await cluster.settled();
  return cluster;
}

async function claimOf({ client }: Cluster) {
  return client.resource(refs.persistentVolumeClaims, 'default').get('c');
}

test('without dynamic provisioning no volume is requested for a claim, and it waits for one', async () => {
  await using cluster = await startWithClaim({ isProvisioningEnabled: false });
  await cluster.clock.advance('1m');
  const claim = await claimOf(cluster);
  expect(claim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).toBeUndefined();
  expect(claim.status?.phase).toBe('Pending');
  const events = await cluster.client.resource(refs.events, 'default').list();
  expect(events.items.filter(({ involvedObject }) => involvedObject?.name === 'c')).toEqual([]);
  await cluster.client.resource(refs.persistentVolumes).create({
    metadata: { name: 'v' },
    spec: {
      storageClassName: 'fast',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
    },
  });
  await cluster.settled();
  expect((await claimOf(cluster)).status?.phase).toBe('Bound');
});

test('a claim without a volume is synced again after the period', async () => {
  await using cluster = await startWithClaim({ syncPeriodMs: 120_000 });
  const looks = async () => {
    const { items } = await cluster.client.resource(refs.events, 'default').list();
    return items.find(({ reason }) => reason === 'ExternalProvisioning')?.count;
  };
  const first = (await looks()) ?? 0;
  expect(first).toBeGreaterThan(0);
  await cluster.clock.advance('119s');
  expect(await looks()).toBe(first);
  await cluster.clock.advance('1s');
  expect(await looks()).toBe(first + 1);
});
