import { type Lease, refs, schemaOfKind } from '@coracle/api';
import { decodeKind } from '@coracle/apimachinery';
import { waitForObject } from '@coracle/client';
import { createEtcdStore, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isReady, makeDeployment } from '../integration/workloads.js';
import { clientOf } from './client-of.js';
import { RunningCluster } from './running-cluster.js';
import { EtcdCluster, hasEtcd } from './store/etcd-process.js';
import { untilDeployment } from './until-deployment.js';

describe.skipIf(!hasEtcd)('two clusters on one etcd', () => {
  let etcd: EtcdCluster;
  let first: RunningCluster;
  let second: RunningCluster;
  beforeAll(async () => {
    etcd = await EtcdCluster.start(1);
    const store = ['--store', 'etcd', '--etcd-servers', etcd.endpoints.join(',')];
    first = await RunningCluster.start({ flags: [...store, '--nodes', '2'] });
    second = await RunningCluster.start({ flags: [...store, '--nodes', '0'] });
  });
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]();
    await first?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  });

  test('each API server sees what the other writes, in its lists and in its watches', async () => {
    await using one = await clientOf(first.kubeconfig);
    await using two = await clientOf(second.kubeconfig);
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'red' } };
    const written = await one.client.configMaps('default').create(settings);
    const read = await two.client.configMaps('default').get('settings');
    expect(read).toEqual(written);
    const seen = waitForObject({
      client: two.client,
      clock: systemClock,
      ref: refs.configMaps,
      namespace: 'default',
      name: 'settings',
      until: (map) => map?.data?.['colour'] === 'blue',
      timeoutMs: 10_000,
    });
    await one.client.configMaps('default').patch('settings', { data: { colour: 'blue' } }, { type: 'merge' });
    expect((await seen)?.data).toEqual({ colour: 'blue' });
    await two.client.configMaps('default').delete('settings');
    await expect(one.client.configMaps('default').get('settings')).rejects.toMatchObject({
      status: { reason: 'NotFound' },
    });
  });

  test('KEY-01 KEY-03 KEY-04 OP-9 OP-14 etcd has the keys and values that kube-apiserver would have written', async () => {
    await using one = await clientOf(first.kubeconfig);
    const colour = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'colour' }, data: { colour: 'red' } };
    await one.client.configMaps('default').create(colour);
    await using store = await createEtcdStore({ endpoints: etcd.endpoints, clock: systemClock });
    const read = async (key: string) => {
      const { value = new Uint8Array() } = (await store.get(`/registry/${key}`)) ?? {};
      return decodeKind(value, schemaOfKind);
    };
    expect(await read('configmaps/default/colour')).toMatchObject({ kind: 'ConfigMap', data: { colour: 'red' } });
    const expected = {
      'namespaces/default': 'Namespace',
      'services/specs/default/kubernetes': 'Service',
      'services/endpoints/default/kubernetes': 'Endpoints',
      'minions/coracle-node-1': 'Node',
      'clusterroles/cluster-admin': 'ClusterRole',
      'apiregistration.k8s.io/apiservices/v1.apps': 'APIService',
      'configmaps/kube-system/extension-apiserver-authentication': 'ConfigMap',
    };
    for (const [key, kind] of Object.entries(expected)) expect((await read(key))['kind'], key).toBe(kind);
    const { items } = await store.list('/registry/masterleases/');
    for (const { value } of items) expect(decodeKind(value, schemaOfKind)['kind']).toBe('Endpoints');
  });

  test('node ports that both allocate at once are one value, as in kube-apiserver, and no port is allocated twice', async () => {
    await using one = await clientOf(first.kubeconfig);
    await using two = await clientOf(second.kubeconfig);
    const make = (client: typeof one.client, name: string) =>
      client.services('default').create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
    const names = Array.from({ length: 10 }, (_, i) => String(i));
    const made = await Promise.all(names.flatMap((i) => [make(one.client, `one-${i}`), make(two.client, `two-${i}`)]));
    expect(new Set(made.map(({ spec }) => spec?.ports?.[0]?.nodePort)).size).toBe(20);
    await using store = await createEtcdStore({ endpoints: etcd.endpoints, clock: systemClock });
    const { value = new Uint8Array() } = (await store.get('/registry/ranges/servicenodeports')) ?? {};
    expect(new TextDecoder('latin1').decode(value)).toMatch(/^k8s.*RangeAllocation/s);
    await Promise.all(made.map(({ metadata }) => one.client.services('default').delete(metadata.name ?? '')));
  });

  test('one of them leads, handles writes to the other, and nothing is done twice', async () => {
    await using two = await clientOf(second.kubeconfig);
    const { client } = two;
    await client.deployments('default').create(makeDeployment({ replicas: 4 }));
    await untilDeployment(client, ({ status }) => status?.availableReplicas === 4, { timeoutMs: 20_000 });
    const { items: pods } = await client.pods('default').list();
    expect(pods.map(isReady)).toEqual([true, true, true, true]);
    expect((await client.replicaSets('default').list()).items).toHaveLength(1);
    const before = await leases();
    expect(before.map(({ spec }) => spec?.leaseTransitions ?? 0)).toEqual([0, 0]);
    expect(new Set(before.map(({ spec }) => spec?.holderIdentity)).size).toBe(1);

    async function leases(): Promise<readonly Lease[]> {
      const names = ['kube-controller-manager', 'kube-scheduler'];
      return await Promise.all(names.map((name) => client.leases('kube-system').get(name)));
    }
  });

  // The lease has to run out first, which takes its fifteen seconds.
  test.skipIf(process.env['CORACLE_SOAK'] !== '1')(
    'when the one that leads dies, the other takes over',
    async () => {
      await using two = await clientOf(second.kubeconfig);
      const { client } = two;
      await first.kill();
      await client.deployments('default').create(makeDeployment({ name: 'late', replicas: 1 }));
      await untilDeployment(client, ({ status }) => status?.replicas === 1, { name: 'late', timeoutMs: 40_000 });
      expect((await client.leases('kube-system').get('kube-controller-manager')).spec?.leaseTransitions).toBe(1);
    },
    60_000,
  );
});

describe.skipIf(!hasEtcd)('a cluster on an etcd', () => {
  let etcd: EtcdCluster;
  beforeAll(async () => {
    etcd = await EtcdCluster.start(1);
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  const start = () =>
    RunningCluster.start({
      flags: ['--store', 'etcd', '--etcd-servers', etcd.endpoints.join(','), '--etcd-prefix', '/clusters/one'],
    });

  // A lease that was not given up would last for fifteen seconds.
  test('LE-2 FLAG-39 works at once when it was ended in order and is started again, below its own prefix', async () => {
    const former = await start();
    expect(await former.stop()).toBe(0);
    await former[Symbol.asyncDispose]();
    await using cluster = await start();
    await using connection = await clientOf(cluster.kubeconfig);
    const { client } = connection;
    await client.deployments('default').create(makeDeployment({ replicas: 1 }));
    await untilDeployment(client, ({ status }) => status?.availableReplicas === 1, { timeoutMs: 8_000 });
    const { spec } = await client.leases('kube-system').get('kube-controller-manager');
    expect(spec?.leaseTransitions).toBe(1);
    await using store = await createEtcdStore({ endpoints: etcd.endpoints, clock: systemClock });
    expect(await store.count('/clusters/one/pods/default/')).toBe(1);
    expect(await store.count('/registry/')).toBe(0);
  });
});
