import { type Pod, refs } from '@coracle/api';
import { createApiServer } from '@coracle/apiserver';
import { Activity, noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startSimulatedNodes } from './simulated-nodes.js';

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

async function started(count = 1) {
  const activity = new Activity();
  const clock = new VirtualClock({ busy: () => activity.busy });
  const shared = { clock, random: seededRandom(1), logger: silentLogger, tracer: noTracer, metrics: noMetrics };
  const store = await createMemoryStore({ clock });
  const server = await createApiServer({
    ...shared,
    store,
    authenticators: () => [{ name: 'test', authenticate: () => ({ user: admin }) }],
    authorizer: () => ({ name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) }),
    admission: () => [],
  });
  const clientFor = (name: string, groups: readonly string[]) =>
    createClient({ transport: { exchange: server.exchange }, user: { name, groups } });
  const client = clientFor(admin.name, admin.groups);
  await client
    .resource(refs.namespaces)
    .create({ metadata: { name: 'default' } })
    .catch(() => undefined);
  await client
    .resource(refs.namespaces)
    .create({ metadata: { name: 'kube-node-lease' } })
    .catch(() => undefined);
  const nodes = await startSimulatedNodes({ ...shared, activity, count, clientFor, extraGroups: ['system:masters'] });
  await clock.settle();
  const pods = client.resource(refs.pods, 'default');
  return { clock, client, pods, nodes };
}

function pod(name: string, more: Partial<Pod['spec']> = {}, annotations: Record<string, string> = {}): Pod {
  return {
    metadata: { name, namespace: 'default', annotations },
    spec: { nodeName: 'coracle-node-1', containers: [{ name: 'web', image: 'nginx' }], ...more },
  };
}

describe('simulated nodes', () => {
  test('K33.1 register, are ready and renew their lease', async () => {
    const { client, clock, nodes } = await started(2);
    const list = await client.resource(refs.nodes).list();
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['coracle-node-1', 'coracle-node-2']);
    const ready = list.items[0]?.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'True', reason: 'KubeletReady' });
    const lease = () => client.resource(refs.leases, 'kube-node-lease').get('coracle-node-1');
    const before = await lease();
    await clock.advance(15_000);
    expect((await lease()).spec?.renewTime).not.toBe(before.spec?.renewTime);
    await nodes[Symbol.asyncDispose]();
  });

  test('K17 a pod goes straight to Running and Ready, and is deleted in two phases', async () => {
    const { clock, pods } = await started();
    await pods.create(pod('web'));
    await clock.settle();
    const running = await pods.get('web');
    expect(running.status).toMatchObject({ phase: 'Running', podIP: '10.244.0.2' });
    expect(running.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    await pods.delete('web');
    await clock.settle();
    await expect(pods.get('web')).rejects.toMatchObject({ message: 'pods "web" not found' });
  });
});
