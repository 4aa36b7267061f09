import type { Client } from '@coracle/client';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from './start-cluster.js';

async function start() {
  const cluster = await startCluster({ listen: false, clock: 'virtual', seed: 1, nodes: 2 });
  onTestFinished(() => cluster.stop());
  const ask = async (body: object) => {
    const { status, body: answer } = await cluster.client.raw('POST', '/debug/coracle/nodes', { body });
    const { nodes, message } = answer as { nodes?: string[]; message?: string };
    return { status, ...(nodes && { nodes }), ...(message && { message }) };
  };
  const ready = async (name: string) => readyOf(cluster.client, name);
  return { cluster, ask, ready };
}

async function readyOf(client: Client, name: string): Promise<string | undefined> {
  const { status } = await client.nodes().get(name);
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

test('nodes are added like another', async () => {
  const { cluster, ask, ready } = await start();
  const like = {
    kind: 'Node',
    metadata: { name: 'big', labels: { size: 'big', 'kubernetes.io/hostname': 'big' } },
    spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
    status: { capacity: { cpu: '128', 'example.com/gpu': '8' } },
  };
  expect(await ask({ action: 'add', count: 2, like })).toEqual({
    status: 200,
    nodes: ['coracle-node-3', 'coracle-node-4'],
  });
  await cluster.settled();
  const { metadata, spec, status } = await cluster.client.nodes().get('coracle-node-4');
  expect(metadata.labels).toMatchObject({ size: 'big', 'kubernetes.io/hostname': 'coracle-node-4' });
  expect(spec?.taints).toMatchObject([{ key: 'dedicated' }]);
  expect(status?.allocatable).toMatchObject({ cpu: '128', memory: '256Gi', 'example.com/gpu': '8' });
  expect(await ready('coracle-node-4')).toBe('True');
});

test.each(['fail', 'partition'])('a node without heartbeats is not ready, and is again: %s', async (action) => {
  const { cluster, ask, ready } = await start();
  await cluster.clock.advance('1m');
  expect(await ask({ action, name: 'coracle-node-1' })).toMatchObject({ status: 200 });
  await cluster.clock.advance('2m');
  await cluster.settled();
  expect([await ready('coracle-node-1'), await ready('coracle-node-2')]).toEqual(['Unknown', 'True']);
  await ask({ action: 'recover', name: 'coracle-node-1' });
  await cluster.clock.advance('1m');
  await cluster.settled();
  expect(await ready('coracle-node-1')).toBe('True');
});

test('a node receives the changes during a partition afterwards', async () => {
  const { cluster, ask } = await start();
  const pods = cluster.client.pods('default');
  const spec = { nodeName: 'coracle-node-1', containers: [{ name: 'c', image: 'nginx' }] };
  await pods.create({ metadata: { name: 'before' }, spec });
  await cluster.settled();
  await ask({ action: 'partition', name: 'coracle-node-1' });
  await pods.create({ metadata: { name: 'during' }, spec });
  await pods.delete('before', { gracePeriodSeconds: 1 });
  await cluster.clock.advance('10s');
  expect((await pods.get('during')).status?.phase).toBe('Pending');
  expect((await pods.get('before')).metadata.deletionTimestamp).toBeDefined();
  const logs = await cluster.client.raw('GET', '/api/v1/namespaces/default/pods/before/log');
  expect(logs.status).toBe(503);
  await ask({ action: 'recover', name: 'coracle-node-1' });
  await cluster.clock.advance('1m');
  await cluster.settled();
  expect((await pods.get('during')).status?.phase).toBe('Running');
  await expect(pods.get('before')).rejects.toThrow('not found');
});

test.each([
  { body: { action: 'add', count: 0 }, status: 400, says: 'count must be a whole number' },
  { body: { action: 'add', count: 1, like: { kind: 'Pod' } }, status: 400, says: 'of the kind Node' },
  { body: { action: 'burn', name: 'n' }, status: 400, says: 'action must be one of add, fail' },
  { body: { action: 'fail', name: 'none' }, status: 404, says: '"none" is no simulated node' },
])('an invalid request is rejected: $says', async ({ body, status, says }) => {
  const { ask } = await start();
  expect(await ask(body)).toMatchObject({ status, message: expect.stringContaining(says) });
});
