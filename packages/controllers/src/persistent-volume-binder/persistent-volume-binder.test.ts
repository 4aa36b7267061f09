import { type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClaimView, planClaim } from './plan-claim.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
});
afterEach(() => cluster.stop());

const volumes = () => cluster.client.resource(refs.persistentVolumes);
const claims = () => cluster.client.resource(refs.persistentVolumeClaims, 'default');

async function createVolume(name: string, spec: Partial<PersistentVolume['spec']> = {}): Promise<void> {
  await volumes().create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'manual',
      hostPath: { path: '/x' },
      ...spec,
    },
  });
}

async function createClaim(name: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): Promise<void> {
  const resources = { requests: { storage: '1Gi' } };
  await claims().create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources, ...spec },
  });
}

async function createClass(name: string, more: Record<string, unknown> = {}): Promise<void> {
  const usual = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'example.com/prov',
  };
  await cluster.client.resource(refs.storageClasses).create({ ...usual, ...more });
}

async function phases(): Promise<Record<string, string | undefined>> {
  await cluster.settled();
  const all = [...(await volumes().list()).items, ...(await claims().list()).items];
  return Object.fromEntries(all.map(({ metadata, status }) => [metadata.name, status?.phase]));
}

async function eventsOf(name: string): Promise<(string | undefined)[]> {
  await cluster.settled();
  const { items } = await cluster.client.resource(refs.events).list();
  return items.filter(({ involvedObject }) => involvedObject?.name === name).map(({ reason }) => reason);
}

describe('PersistentVolume binding', () => {
  test('a claim is bound to a matching volume, in either order of creation', async () => {
    await createClaim('early');
    await createVolume('a');
    await createVolume('b');
    await createClaim('late');
    expect(await phases()).toEqual({ a: 'Bound', b: 'Bound', early: 'Bound', late: 'Bound' });
    const { spec, metadata, status } = await claims().get('early');
    expect(metadata.annotations).toMatchObject({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    expect(status).toMatchObject({ accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } });
    const volume = await volumes().get(spec?.volumeName ?? '');
    expect(volume.spec?.claimRef).toMatchObject({ name: 'early', namespace: 'default', uid: metadata.uid });
  });

  test('a hundred claims and a hundred volumes are bound in pairs', async () => {
    for (let i = 0; i < 100; i++) await Promise.all([createVolume(`v-${i}`), createClaim(`c-${i}`)]);
    await cluster.settled();
    await cluster.clock.advance('1m');
    const bound = (await claims().list()).items.map(({ spec }) => spec?.volumeName);
    expect(new Set(bound).size).toBe(100);
    expect(Object.values(await phases()).every((phase) => phase === 'Bound')).toBe(true);
  });

  test('a claim that names a volume gets it or waits', async () => {
    await createVolume('small');
    await createClaim('named', { volumeName: 'small' });
    expect(await phases()).toMatchObject({ named: 'Bound' });
    await createClaim('second', { volumeName: 'small' });
    await createClaim('absent', { volumeName: 'nothing' });
    await createVolume('other');
    await createClaim('large', { volumeName: 'other', resources: { requests: { storage: '2Gi' } } });
    expect(await phases()).toMatchObject({ named: 'Bound', second: 'Pending', absent: 'Pending', large: 'Pending' });
    expect(await eventsOf('second')).toEqual(['FailedBinding']);
    expect(await eventsOf('large')).toEqual(['VolumeMismatch']);
  });

  test('a volume whose claim is deleted is released, and available again when its claimRef is removed', async () => {
    await createVolume('a');
    await createClaim('first');
    expect(await phases()).toEqual({ a: 'Bound', first: 'Bound' });
    const { metadata } = await claims().get('first');
    await claims().patch('first', { metadata: { finalizers: null } }, { type: 'merge' });
    await claims().delete('first');
    expect(await phases()).toEqual({ a: 'Released' });
    expect((await volumes().get('a')).spec?.claimRef?.uid).toBe(metadata.uid);
    await createClaim('second');
    expect(await phases()).toEqual({ a: 'Released', second: 'Pending' });
    await volumes().patch('a', { spec: { claimRef: null } }, { type: 'merge' });
    expect(await phases()).toEqual({ a: 'Bound', second: 'Bound' });
  });

  test('a claim whose volume is deleted is lost', async () => {
    await createVolume('a');
    await createClaim('c');
    await cluster.settled();
    const conditions = [{ type: 'FileSystemResizePending', status: 'True' }];
    const claim = await claims().get('c');
    await claims().updateStatus({ ...claim, status: { ...claim.status, conditions } });
    await volumes().patch('a', { metadata: { finalizers: null } }, { type: 'merge' });
    await volumes().delete('a');
    expect(await phases()).toEqual({ c: 'Lost' });
    expect((await claims().get('c')).status).toMatchObject({ phase: 'Lost', conditions });
    expect((await claims().get('c')).status).not.toHaveProperty('capacity');
    expect(await eventsOf('c')).toEqual(['ClaimLost']);
  });

  test('a policy that the controller cannot carry out fails', async () => {
    await createVolume('recycled', { persistentVolumeReclaimPolicy: 'Recycle' });
    await createClaim('c');
    await cluster.settled();
    await claims().patch('c', { metadata: { finalizers: null } }, { type: 'merge' });
    await claims().delete('c');
    expect(await phases()).toEqual({ recycled: 'Failed' });
    expect(await eventsOf('recycled')).toEqual(['VolumeFailedRecycle']);
  });
});

describe('storage classes', () => {
  test.each([
    ['is not there', undefined, 'ProvisioningFailed'],
    ['has a provisioner outside', {}, 'ExternalProvisioning'],
    ['has none', { provisioner: 'kubernetes.io/no-provisioner' }, 'ProvisioningFailed'],
    ['waits for a consumer', { volumeBindingMode: 'WaitForFirstConsumer' }, 'WaitForFirstConsumer'],
  ])('a claim of a class that %s waits, with an event', async (_name, storageClass, reason) => {
    if (storageClass) await createClass('manual', storageClass);
    await createClaim('c');
    expect(await phases()).toEqual({ c: 'Pending' });
    expect(await eventsOf('c')).toEqual([reason]);
  });

  test('a provisioner is named on the claim', async () => {
    await createClass('manual');
    await createClaim('c');
    await cluster.settled();
    expect((await claims().get('c')).metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/prov',
      'volume.kubernetes.io/storage-provisioner': 'example.com/prov',
    });
  });

  test('a default class that is created later is assigned', async () => {
    await claims().create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'open' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await cluster.settled();
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await createClass('late', { metadata: { name: 'late', annotations } });
    await cluster.settled();
    expect((await claims().get('open')).spec?.storageClassName).toBe('late');
  });

  test('a claim that states no class is bound to a volume without one, even if there is a default', () => {
    const claim: PersistentVolumeClaim = {
      metadata: { name: 'open', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const volume: PersistentVolume = {
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
      status: { phase: 'Available' },
    };
    const view = (all: PersistentVolume[]): ClaimView => ({
      claim,
      volumes: () => all,
      volumeNamed: () => undefined,
      classNamed: () => undefined,
      defaultClass: 'usual',
      isProvisioningEnabled: true,
      waitingPods: () => [],
    });
    expect(planClaim(view([volume]))).toEqual({ kind: 'bind', volume });
    expect(planClaim(view([]))).toEqual({ kind: 'assign-class', className: 'usual' });
  });
});
