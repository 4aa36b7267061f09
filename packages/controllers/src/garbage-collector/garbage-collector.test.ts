import type { ConfigMap } from '@coracle/api';
import { isNotFound, type KubeObject, type OwnerReference } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

describe('the garbage collector', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const configMaps = () => cluster.client.configMaps('default');
  const create = (name: string, owners: readonly ConfigMap[] = [], extra: object = {}) =>
    configMaps().create({ metadata: { name, ownerReferences: owners.map(ownedBy), ...extra } });
  const names = async () => {
    const { items } = await configMaps().list();
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
  };

  test('GC-2 GC-32 background: dependents are deleted after their owner, in all generations', async () => {
    const a = await create('a');
    const b = await create('b', [a]);
    await create('c', [b]);
    await create('other');
    await configMaps().delete('a', { propagationPolicy: 'Background' });
    await cluster.settled();

    expect(await names()).toEqual(['other']);
  });

  test('GC-1 GC-33 foreground: the owner stays until the last dependent is deleted', async () => {
    const a = await create('a');
    const b = await create('b', [a]);
    await create('c', [b], { finalizers: ['example.com/wait'] });
    await configMaps().delete('a', { propagationPolicy: 'Foreground' });
    await cluster.settled();
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect((await configMaps().get('a')).metadata.finalizers).toEqual(['foregroundDeletion']);

    await configMaps().patch('c', { metadata: { finalizers: null } }, { type: 'merge' });
    await cluster.settled();
    expect(await names()).toEqual([]);
  });

  test('GC-23 foreground: does not wait for dependents that do not block', async () => {
    const a = await create('a');
    const reference = { ...ownedBy(a), blockOwnerDeletion: false };
    await configMaps().create({
      metadata: { name: 'b', ownerReferences: [reference], finalizers: ['example.com/wait'] },
    });
    await configMaps().delete('a', { propagationPolicy: 'Foreground' });
    await cluster.settled();

    expect(await names()).toEqual(['b']);
  });

  test('GC-27 foreground: completes for objects that own each other in a cycle', async () => {
    const a = await create('a');
    const b = await create('b', [a]);
    const ownerReferences = [ownedBy(b)];
    await configMaps().patch('a', { metadata: { ownerReferences } }, { type: 'merge' });
    await configMaps().delete('a', { propagationPolicy: 'Foreground' });
    await cluster.clock.advance('1m');

    expect(await names()).toEqual([]);
  });

  test('GC-3 GC-20 GC-31 orphan: dependents stay, without an owner', async () => {
    const a = await create('a');
    await create('b', [a]);
    await create('c', [a]);
    await configMaps().delete('a', { propagationPolicy: 'Orphan' });
    await cluster.settled();

    expect(await names()).toEqual(['b', 'c']);
    expect((await configMaps().get('b')).metadata.ownerReferences ?? []).toEqual([]);
  });

  test('GC-26 an object with another owner stays, and its reference to the deleted one is removed', async () => {
    const [a, b] = [await create('a'), await create('b')];
    await create('c', [a, b]);
    await configMaps().delete('a');
    await cluster.settled();

    const { ownerReferences = [] } = (await configMaps().get('c')).metadata;
    expect(ownerReferences.map(({ name }) => name)).toEqual(['b']);
  });

  test('GC-25 deletes an object whose owner never existed', async () => {
    await configMaps().create({
      metadata: {
        name: 'a',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'no-such-uid' }],
      },
    });
    await cluster.settled();
    expect(await names()).toEqual([]);
  });

  test('GC-30 does not touch an object whose owner has a kind that is not served', async () => {
    const reference = { apiVersion: 'example.com/v1', kind: 'Nothing', name: 'x', uid: 'u' };
    await configMaps().create({ metadata: { name: 'a', ownerReferences: [reference] } });
    await cluster.clock.advance('1m');
    expect(await names()).toEqual(['a']);
  });

  test('deletes an object whose owner is in another namespace, with an event', async () => {
    await cluster.client.namespaces().create({ metadata: { name: 'other' } });
    const owner = await cluster.client.configMaps('other').create({ metadata: { name: 'a' } });
    await create('b', [owner]);
    await cluster.settled();
    expect(await configMaps().get('b').catch(isNotFound)).toBe(true);

    await cluster.clock.advance('1s');
    const { items } = await cluster.client.events('default').list();
    expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: a, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
    );
  });

  test('GC-34 cascades between kinds: a deployment, its replica set and pods', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await cluster.client
      .deployments('default')
      .create({ metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } });
    await cluster.settled();
    expect((await cluster.client.pods('default').list()).items).toHaveLength(2);

    await cluster.client.deployments('default').delete('web');
    await cluster.clock.advance('1m');
    expect((await cluster.client.replicaSets('default').list()).items).toEqual([]);
    expect((await cluster.client.pods('default').list()).items).toEqual([]);
  });
});

function ownedBy({ metadata }: KubeObject): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
}
