import { type ClusterRole, type ConfigMap, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aggregateRules } from './cluster-role-aggregation/cluster-role-aggregation-controller.js';

describe('ClusterRole aggregation', () => {
  const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
  const part = (name: string, labels: Record<string, string>, ...resources: string[]): ClusterRole => ({
    metadata: { name, labels },
    rules: resources.map(rule),
  });
  const whole = (...selectors: Record<string, string>[]): ClusterRole => ({
    metadata: { name: 'whole', labels: { a: 'x' } },
    aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
    rules: [rule('its own')],
  });

  test.each([
    {
      name: 'takes the rules of all that match, by name',
      of: whole({ a: 'x' }),
      roles: [part('2', { a: 'x' }, 'pods'), part('1', { a: 'x' }, 'nodes')],
      rules: ['nodes', 'pods'],
    },
    {
      name: 'takes each rule once',
      of: whole({ a: 'x' }, { b: 'x' }),
      roles: [part('1', { a: 'x', b: 'x' }, 'pods'), part('2', { b: 'x' }, 'pods')],
      rules: ['pods'],
    },
    { name: 'does not take its own', of: whole({ a: 'x' }), roles: [whole({ a: 'x' })], rules: [] },
    { name: 'takes none without selectors', of: whole(), roles: [part('1', { a: 'x' }, 'pods')], rules: [] },
  ])('$name', ({ of, roles, rules }) => {
    expect(aggregateRules(of, roles).map(({ resources }) => resources?.[0])).toEqual(rules);
  });
});

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: { host: '127.0.0.1', port: 0 }, clock: 'virtual', nodes: 0, seed: 1 });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  test('SA-02 every namespace has a default service account, also after it was deleted', async () => {
    const accounts = cluster.client.resource(refs.serviceAccounts, 'team');
    await cluster.client
      .resource(refs.namespaces)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await cluster.settled();
    const { metadata } = await accounts.get('default');

    await accounts.delete('default');
    await cluster.settled();
    expect((await accounts.get('default')).metadata.uid).not.toBe(metadata.uid);
  });

  test('every namespace has the CA certificate of the cluster', async () => {
    const maps = cluster.client.resource<ConfigMap>(refs.configMaps, 'default');
    const { data, metadata } = await maps.get('kube-root-ca.crt');
    expect(data?.['ca.crt']).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(metadata.annotations?.['kubernetes.io/description']).toMatch(/^Contains a CA bundle/);

    await maps.patch('kube-root-ca.crt', { data: { 'ca.crt': 'forged', more: 'x' } }, { type: 'merge' });
    await cluster.settled();
    expect((await maps.get('kube-root-ca.crt')).data).toEqual(data);

    const describe = (text: string | null) =>
      maps.patch(
        'kube-root-ca.crt',
        { metadata: { annotations: { 'kubernetes.io/description': text } } },
        { type: 'merge' },
      );
    const described = async () => (await maps.get('kube-root-ca.crt')).metadata.annotations;
    await describe('in other words');
    await cluster.settled();
    expect(await described()).toEqual({ 'kubernetes.io/description': 'in other words' });
    await describe(null);
    await cluster.settled();
    expect(await described()).toEqual(metadata.annotations);
  });

  test('AUTHZ-23 an aggregated role follows the selected roles', async () => {
    const roles = cluster.client.resource<ClusterRole>(refs.clusterRoles);
    const mine = { apiGroups: ['example.com'], resources: ['boats'], verbs: ['get'] };
    await roles.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'boats', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [mine],
    });
    await cluster.settled();
    // `view` is part of `edit`, and `edit` of `admin`.
    for (const name of ['view', 'edit', 'admin']) expect((await roles.get(name)).rules).toContainEqual(mine);

    await roles.delete('boats');
    await cluster.settled();
    for (const name of ['view', 'edit', 'admin']) expect((await roles.get(name)).rules).not.toContainEqual(mine);
  });
});
