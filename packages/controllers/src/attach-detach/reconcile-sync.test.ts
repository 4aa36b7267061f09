import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import type { AttachDetachOptions } from './attach-detach-controller.js';
import { createMountingPod } from './attached-volume.fixture.js';

/** A node whose status no longer says that the volume of its pod is attached. */
async function startWithLostStatus(attachDetach: AttachDetachOptions): Promise<Cluster> {
  const cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { enabled: ['*', '-node-lifecycle-controller'], attachDetach },
  });
  await createMountingPod(cluster);
  const { client } = cluster;
  const attachments = client.resource(refs.volumeAttachments);
  const [attachment] = (await attachments.list()).items;
  const attached = { status: { attached: true } };
  await attachments.patch(attachment?.metadata.name ?? '', attached, { type: 'merge', subresource: 'status' });
  await cluster.settled();
  expect(await reported(cluster)).toBe(1);
  await client.nodes().patch('n', { status: { volumesAttached: null } }, { type: 'merge', subresource: 'status' });
  await cluster.settled();
  return cluster;
}

async function reported({ client }: Cluster): Promise<number> {
  return (await client.nodes().get('n')).status?.volumesAttached?.length ?? 0;
}

test('the attached volumes of a node are reported again at the next resync', async () => {
  await using cluster = await startWithLostStatus({ syncPeriodMs: 120_000 });
  await cluster.clock.advance('119s');
  expect(await reported(cluster)).toBe(0);
  await cluster.clock.advance('1s');
  expect(await reported(cluster)).toBe(1);
});

test('without resyncs they are not', async () => {
  await using cluster = await startWithLostStatus({ isSyncDisabled: true });
  await cluster.clock.advance('10m');
  expect(await reported(cluster)).toBe(0);
});
