import { type Pod, refs } from '@coracle/api';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { createMountingPod } from './attached-volume.fixture.js';
import { multiAttachMessage } from './multi-attach.js';

const makePod = (namespace: string, name: string): Pod => ({ metadata: { namespace, name } });

test.each([
  ['no pod any more', [], "Volume is already exclusively attached to one node and can't be attached to another"],
  ['pods of its namespace', [makePod('a', 'x'), makePod('a', 'y')], 'Volume is already used by pod(s) x, y'],
  [
    'pods of others as well',
    [makePod('b', 'z'), makePod('a', 'x')],
    'Volume is already used by pod(s) x and 1 pod(s) in different namespaces',
  ],
  ['pods of others', [makePod('b', 'z')], 'Volume is already used by 1 pod(s) in different namespaces'],
])('a volume that another node has for %s', (_name, others, why) => {
  expect(multiAttachMessage('v', makePod('a', 'p'), others)).toBe(`Multi-Attach error for volume "v" ${why}`);
});

test('a pod gets one event that names the pod with its volume on another node', async () => {
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { enabled: ['*', '-node-lifecycle-controller', '-taint-eviction-controller'] },
  });
  await createMountingPod(cluster);
  const { client } = cluster;
  const { metadata, spec } = await client.pods('default').get('p');
  const [{ annotations = {} } = {}] = (await client.nodes().list()).items.map((node) => node.metadata);
  await client.nodes().create({ metadata: { name: 'm', annotations }, spec: {} });
  await client.pods('default').create({
    metadata: { name: 'q', ...(metadata.labels && { labels: metadata.labels }) },
    spec: { ...spec, nodeName: 'm' } as NonNullable<Pod['spec']>,
  });
  await cluster.clock.advance('10m');

  const { items } = await client.resource(refs.events, 'default').list();
  const events = items.filter(({ reason }) => reason === 'FailedAttachVolume');
  expect(events.map(({ involvedObject, message, count }) => [involvedObject?.name, message, count])).toEqual([
    ['q', 'Multi-Attach error for volume "v" Volume is already used by pod(s) p', 1],
  ]);
});
