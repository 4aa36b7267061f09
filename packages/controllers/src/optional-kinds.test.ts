import { type apiserverinternalv1alpha1, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, expect, test } from 'vitest';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

async function start(runtimeConfig: Record<string, boolean>): Promise<Cluster> {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, runtimeConfig });
  await cluster.settled();
  return cluster;
}

test('a storage version migration writes every object again and says how it went', async () => {
  const { client, clock } = await start({ 'storagemigration.k8s.io/v1beta1': true });
  const migrations = client.resource(refs.storageVersionMigrations);
  await client.configMaps('default').create({ metadata: { name: 'one' } });
  await migrations.create({ metadata: { name: 'all' }, spec: { resource: { group: '', resource: 'configmaps' } } });
  await migrations.create({ metadata: { name: 'none' }, spec: { resource: { group: 'x.io', resource: 'xs' } } });
  await clock.advance('1m');
  const [all, none] = [await migrations.get('all'), await migrations.get('none')];
  expect(all.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Running=False',
    'Succeeded=True',
  ]);
  expect(Number(all.status?.resourceVersion)).toBeGreaterThan(0);
  expect(none.status?.conditions).toMatchObject([
    { type: 'Failed', status: 'True', message: 'resource xs.x.io does not exist' },
  ]);
});

test('storage versions of API servers that no longer exist are removed', async () => {
  const { client, clock } = await start({ 'internal.apiserver.k8s.io/v1alpha1': true });
  const versions = client.resource(refs.storageVersions);
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
  await client.leases('kube-system').create({ metadata: { name: 'apiserver-a', labels } });
  const versionOf = (...ids: string[]) => ({
    storageVersions: ids.map((apiServerID) => ({ apiServerID, encodingVersion: 'v1', decodableVersions: ['v1'] })),
  });
  for (const [name, ids] of [
    ['apps.deployments', ['apiserver-a', 'apiserver-b']],
    ['core.pods', ['apiserver-b']],
  ] as const) {
    const made = await versions.create({
      metadata: { name },
      spec: {},
      status: {},
    } as apiserverinternalv1alpha1.StorageVersion);
    await versions.updateStatus({ ...made, status: versionOf(...ids) });
  }
  await clock.advance('1m');
  const left = (await versions.list()).items.map(({ metadata, status }) => [
    metadata.name,
    status?.storageVersions?.map(({ apiServerID }) => apiServerID),
  ]);
  expect(left).toEqual([['apps.deployments', ['apiserver-a']]]);
});
