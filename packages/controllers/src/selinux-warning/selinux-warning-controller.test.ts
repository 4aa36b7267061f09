import { type Pod, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, expect, test } from 'vitest';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

async function reasonsWith(enabled: readonly string[], seLinuxMount: boolean): Promise<string[]> {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, controllerManager: { enabled } });
  const { client, clock } = cluster;
  await client.resource(refs.csiDrivers).create({ metadata: { name: 'csi.example.com' }, spec: { seLinuxMount } });
  const shared = { accessModes: ['ReadWriteMany'], storageClassName: 'none' };
  const csi = { driver: 'csi.example.com', volumeHandle: 'h' };
  await client
    .resource(refs.persistentVolumes)
    .create({ metadata: { name: 'v' }, spec: { ...shared, capacity: { storage: '1Gi' }, csi } });
  const resources = { requests: { storage: '1Gi' } };
  await client
    .resource(refs.persistentVolumeClaims, 'default')
    .create({ metadata: { name: 'c' }, spec: { ...shared, resources } });
  for (const level of ['s0:c1', 's0:c2'])
    await client.pods('default').create({
      metadata: { generateName: 'p-' },
      spec: {
        containers: [{ name: 'app', image: 'app' }],
        securityContext: { seLinuxOptions: { level } },
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
      },
    } as Pod);
  await clock.advance('1m');
  const { items } = await client.resource(refs.events, 'default').list();
  return items.map(({ reason }) => reason ?? '').filter((reason) => reason.startsWith('SELinux'));
}

test.each<[string, string[], boolean, string[]]>([
  ['is off by default', ['*'], true, []],
  ['tells both pods once', ['*', 'selinux-warning-controller'], true, ['SELinuxLabelConflict', 'SELinuxLabelConflict']],
  ['leaves volumes alone that are relabelled file by file', ['*', 'selinux-warning-controller'], false, []],
])('the warning of SELinux conflicts %s', async (_name, enabled, seLinuxMount, expected) => {
  expect(await reasonsWith(enabled, seLinuxMount)).toEqual(expected);
});
