import { type ConfigMap, type Deployment, refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import type { Cluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBareCluster } from '../bare-cluster.fixture.js';
import { createOrPatch, createOrUpdate } from './create-or-update.js';
import { runFinalizers } from './finalizers.js';
import { AlreadyOwnedError, setControllerReference, setOwnerReference } from './set-controller-reference.js';
import { withCondition, writeStatus } from './status.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startBareCluster();
});
afterAll(() => cluster.stop());
const maps = () => cluster.client.configMaps('default');

describe.each([
  ['createOrUpdate', createOrUpdate],
  ['createOrPatch', createOrPatch],
])('%s', (title, write) => {
  const name = title.toLowerCase();
  const ensure = (data: Record<string, string>) =>
    write({
      client: cluster.client,
      ref: refs.configMaps,
      namespace: 'default',
      name,
      mutate: (current: ConfigMap) => ({ ...current, data }),
    });

  test('creates missing objects, updates different ones, and keeps other fields', async () => {
    expect((await ensure({ a: '1' })).operation).toBe('created');
    const { operation, object } = await ensure({ a: '1' });
    expect(operation).toBe('unchanged');
    expect((await ensure({ b: '2' })).operation).toBe('updated');
    const now = await maps().get(name);
    expect(now.data).toEqual({ b: '2' });
    expect(now.metadata.uid).toBe(object.metadata.uid);
  });

  test('rejects a change of the object’s name', async () => {
    const renamed = write({
      client: cluster.client,
      ref: refs.configMaps,
      namespace: 'default',
      name: 'x',
      mutate: () => ({ metadata: { name: 'y' } }),
    });
    await expect(renamed).rejects.toThrow('must not change the name or namespace');
  });
});

test('createOrPatch writes the status where it belongs', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const deployments = cluster.client.deployments('default');
  await deployments.create({ metadata: { name: 'd' }, spec });
  await createOrPatch<Deployment>({
    client: cluster.client,
    ref: refs.deployments,
    namespace: 'default',
    name: 'd',
    mutate: (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { x: 'y' } },
      status: { ...current.status, observedGeneration: 1 },
    }),
  });
  expect(await deployments.get('d')).toMatchObject({
    metadata: { labels: { x: 'y' } },
    status: { observedGeneration: 1 },
  });
});

describe('owners', () => {
  const owner = (name: string, namespace = 'default'): KubeObject => ({ metadata: { name, uid: name, namespace } });
  const thing: ConfigMap = { metadata: { name: 'thing', namespace: 'default' } };

  test('one manages an object, others only own it', () => {
    const managed = setControllerReference(thing, owner('a'), refs.configMaps);
    expect(managed.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'a', controller: true, blockOwnerDeletion: true },
    ]);
    expect(setControllerReference(managed, owner('a'), refs.configMaps)).toEqual(managed);
    expect(() => setControllerReference(managed, owner('b'), refs.configMaps)).toThrow(AlreadyOwnedError);
    expect(setOwnerReference(managed, owner('b'), refs.configMaps).metadata.ownerReferences).toHaveLength(2);
    expect(thing.metadata.ownerReferences).toBeUndefined();
  });

  test.each([
    ['of another namespace', thing, /cross-namespace owner references are disallowed/],
    ['of a namespace, for something without one', { metadata: { name: 'x' } }, /cluster-scoped resource must not/],
  ])('are not %s', (_, object, message) => {
    expect(() => setControllerReference(object, owner('a', 'elsewhere'), refs.configMaps)).toThrow(message);
  });

  test('may be cluster-scoped', () => {
    const above = { metadata: { name: 'a', uid: 'a' } };
    expect(setControllerReference(thing, above, refs.namespaces).metadata.ownerReferences).toHaveLength(1);
  });
});

describe('CA-8 finalizers', () => {
  test('run when an object is deleted; those that fail stay, and the others run', async () => {
    const done: string[] = [];
    let broken = true;
    const finalizers = {
      'example.org/good': async () => void done.push('good'),
      'example.org/bad': async () => {
        if (broken) throw new Error('not yet');
        done.push('bad');
      },
    };
    const made = await maps().create({ metadata: { name: 'held' } });
    const { object, deleting } = await runFinalizers(made, { resource: maps(), finalizers });
    expect([deleting, object.metadata.finalizers]).toEqual([false, ['example.org/good', 'example.org/bad']]);
    expect((await runFinalizers(object, { resource: maps(), finalizers })).object).toBe(object);
    await maps().delete('held');
    const going = await maps().get('held');
    await expect(runFinalizers(going, { resource: maps(), finalizers })).rejects.toThrow('not yet');
    const left = await maps().get('held');
    expect(left.metadata.finalizers).toEqual(['example.org/bad']);
    broken = false;
    expect((await runFinalizers(left, { resource: maps(), finalizers })).deleting).toBe(true);
    expect(done).toEqual(['good', 'bad']);
    await expect(maps().get('held')).rejects.toThrow('not found');
  });
});

describe('a condition', () => {
  const clock = new VirtualClock();
  const ready = { type: 'Ready', status: 'True', reason: 'Done' } as const;

  test('moves its time only with its status, and is seen at a generation', async () => {
    const first = withCondition({ metadata: { generation: 1 } } as KubeObject & { status?: object }, ready, clock);
    await clock.advance(1_000);
    expect(withCondition(first, ready, clock)).toBe(first);
    const updated = withCondition(first, { ...ready, message: 'really' }, clock);
    const ended = withCondition(updated, { ...ready, status: 'False' }, clock);
    const times = [first, updated, ended].map(
      (object) => (object.status as { conditions: { lastTransitionTime: string }[] }).conditions[0]?.lastTransitionTime,
    );
    expect(times).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z']);
    expect(first.status).toMatchObject({ conditions: [{ observedGeneration: 1 }] });
  });

  test('is written only when it differs', async () => {
    const node = await cluster.client.nodes().create({ metadata: { name: 'n' } });
    expect(await writeStatus(cluster.client.nodes(), { current: node, next: { ...node } })).toBe(node);
    const next = { ...node, status: { ...node.status, phase: 'Running' } };
    expect((await writeStatus(cluster.client.nodes(), { current: node, next })).status?.phase).toBe('Running');
  });
});
