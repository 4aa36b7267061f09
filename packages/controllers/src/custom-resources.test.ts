import { isNotFound, type ResourceRef } from '@coracle/apimachinery';
import type { AnyObject } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const widgets: ResourceRef<AnyObject> = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
const crd = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('custom resources', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
    await cluster.client.customResourceDefinitions().create(crd);
    await cluster.client.namespaces().create({ metadata: { name: 'a' } });
    await cluster.clock.advance('2s');
  });
  afterEach(() => cluster.stop());

  const client = () => cluster.client.resource(widgets, 'a');
  const create = (name: string, metadata: object = {}) => client().create({ metadata: { name, ...metadata } });

  test('NS-6 are deleted with their namespace', async () => {
    await create('w');
    await cluster.client.namespaces().delete('a');
    await cluster.settled();
    expect(await cluster.client.namespaces().get('a').catch(isNotFound)).toBe(true);
    expect((await client().list()).items).toEqual([]);
  });

  test('GC-7 can own and be owned once they are defined', async () => {
    const { metadata } = await create('owner');
    const reference = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid: metadata.uid ?? '' };
    await create('dependent', { ownerReferences: [reference] });
    await cluster.client.configMaps('a').create({ metadata: { name: 'c', ownerReferences: [reference] } });
    await cluster.settled();
    await client().delete('owner', { propagationPolicy: 'Foreground' });
    await cluster.settled();
    expect((await client().list()).items).toEqual([]);
    expect(await cluster.client.configMaps('a').get('c').catch(isNotFound)).toBe(true);
  });

  test('GC-25 have their dependents deleted even where their CRD is deleted with them', async () => {
    const { metadata } = await create('owner');
    const reference = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid: metadata.uid ?? '' };
    await cluster.client.configMaps('a').create({ metadata: { name: 'c', ownerReferences: [reference] } });
    await cluster.settled();
    await cluster.client.customResourceDefinitions().delete('widgets.example.com');
    await cluster.clock.advance('1m');
    expect(await cluster.client.configMaps('a').get('c').catch(isNotFound)).toBe(true);
  });

  test('are counted by quotas', async () => {
    const name = 'count/widgets.example.com';
    const quotas = cluster.client.resourceQuotas('a');
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { [name]: '1' } } });
    await cluster.settled();
    await create('w');
    await expect(create('x')).rejects.toThrow(
      `exceeded quota: q, requested: ${name}=1, used: ${name}=1, limited: ${name}=1`,
    );

    await client().delete('w');
    await cluster.settled();
    expect((await quotas.get('q')).status?.used).toEqual({ [name]: '0' });
  });

  test('are released when their CRD is deleted', async () => {
    await create('w');
    await cluster.client.customResourceDefinitions().delete('widgets.example.com');
    await cluster.clock.advance('1m');
    await cluster.client.namespaces().delete('a');
    await cluster.clock.advance('10s');
    expect(await cluster.client.namespaces().get('a').catch(isNotFound)).toBe(true);
  });
});
