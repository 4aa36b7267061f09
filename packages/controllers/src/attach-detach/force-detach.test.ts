import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { createMountingPod } from './attached-volume.fixture.js';

const volumesInUse = ['kubernetes.io/csi/csi.example.com^h'];
const enabled = ['*', '-node-lifecycle-controller', '-taint-eviction-controller'];
const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];

/** A node that has mounted the volume of a pod, which is deleted then. */
async function startWithMountedVolume(isForceDetachDisabled = false): Promise<Cluster> {
  const cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { enabled, attachDetach: { isForceDetachDisabled } },
  });
  await createMountingPod(cluster);
  await setReady(cluster, 'True');
  expect(await attachments(cluster)).toBe(1);
  await cluster.client.pods('default').delete('p', { gracePeriodSeconds: 0 });
  await cluster.settled();
  return cluster;
}

async function setReady({ client }: Cluster, ready: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: ready, reason: 'Test', message: '' }];
  await client.nodes().patch('n', { status: { conditions, volumesInUse } }, { type: 'merge', subresource: 'status' });
}

async function attachments({ client }: Cluster): Promise<number> {
  return (await client.resource(refs.volumeAttachments).list()).items.length;
}

async function forcedDetaches({ client }: Cluster): Promise<string[]> {
  const { body } = await client.raw('GET', '/metrics');
  return String(body).match(/^attach_detach_controller_attachdetach_controller_forced_detaches\{.*$/gm) ?? [];
}

const counted = (reason: string) =>
  `attach_detach_controller_attachdetach_controller_forced_detaches{reason="${reason}"} 1`;

test('a volume that an unhealthy node does not unmount is detached six minutes after its last pod', async () => {
  await using cluster = await startWithMountedVolume();
  await cluster.clock.advance('2m');
  await setReady(cluster, 'Unknown');
  await cluster.clock.advance('3m59s');
  expect(await attachments(cluster)).toBe(1);
  await cluster.clock.advance('1s');
  expect(await attachments(cluster)).toBe(0);
  expect(await forcedDetaches(cluster)).toEqual([counted('timeout')]);
});

test('a healthy node may take longer, and if it becomes unhealthy then, its volume is detached at once', async () => {
  await using cluster = await startWithMountedVolume();
  await cluster.clock.advance('10m');
  expect(await attachments(cluster)).toBe(1);
  await setReady(cluster, 'Unknown');
  await cluster.settled();
  expect(await attachments(cluster)).toBe(0);
});

test('without the timeout volumes stay attached until their node is out of service', async () => {
  await using cluster = await startWithMountedVolume(true);
  await setReady(cluster, 'Unknown');
  await cluster.clock.advance('10m');
  expect(await attachments(cluster)).toBe(1);
  await cluster.client.nodes().patch('n', { spec: { taints } }, { type: 'merge' });
  await cluster.settled();
  expect(await attachments(cluster)).toBe(0);
  expect(await forcedDetaches(cluster)).toEqual([counted('out-of-service')]);
});
