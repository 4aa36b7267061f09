import type { ResourceQuota } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

type Amounts = Readonly<Record<string, string>>;

const gold = 'gold.storageclass.storage.k8s.io';
/** What upstream's tests limit. */
const hard: Amounts = {
  pods: '5',
  services: '10',
  'services.nodeports': '1',
  'services.loadbalancers': '1',
  replicationcontrollers: '10',
  resourcequotas: '1',
  cpu: '1',
  memory: '500Mi',
  configmaps: '10',
  secrets: '10',
  persistentvolumeclaims: '10',
  'requests.storage': '10Gi',
  'ephemeral-storage': '50Gi',
  [`${gold}/persistentvolumeclaims`]: '10',
  [`${gold}/requests.storage`]: '10Gi',
  'requests.example.com/dongle': '3',
  'count/replicasets.apps': '5',
};
const containers = (requests: Amounts = {}, limits: Amounts = {}) => [
  { name: 'pause', image: 'pause', resources: { requests, limits } },
];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: containers() } };

/** The steps of upstream's test "ResourceQuota". */
describe('quotas as the conformance tests use them', () => {
  let cluster: Cluster;
  let namespace: string;
  let count = 0;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    namespace = `quota-${count++}`;
    await cluster.client.namespaces().create({ metadata: { name: namespace } });
    await cluster.settled();
  });

  const quotas = () => cluster.client.resourceQuotas(namespace);
  async function limit(name: string, spec: NonNullable<ResourceQuota['spec']>): Promise<void> {
    await quotas().create({ metadata: { name }, spec });
    await cluster.settled();
  }
  async function expectUsed(amounts: Amounts, name = 'test-quota'): Promise<void> {
    await cluster.settled();
    expect((await quotas().get(name)).status?.used).toMatchObject(amounts);
  }
  const send = (method: string, path: string, body: object) =>
    cluster.client.raw(method, path.replace('NS', `namespaces/${namespace}`), {
      body,
      contentType: 'application/json',
    });
  async function make(path: string, body: object): Promise<void> {
    expect((await send('POST', path, body)).status).toBe(201);
  }
  const remove = (path: string) => send('DELETE', path, { gracePeriodSeconds: 0 });

  const namedB = { metadata: { name: 'b' } };
  const claim = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'gold',
    resources: { requests: { storage: '1Gi' } },
  };
  const goldClaims = `${gold}/persistentvolumeclaims`;
  test.each<[string, string, object, Amounts, Amounts]>([
    ['configMap', '/api/v1/NS/configmaps', namedB, { configmaps: '2' }, { configmaps: '1' }],
    ['secret', '/api/v1/NS/secrets', namedB, { secrets: '1' }, { secrets: '0' }],
    [
      'replication controller',
      '/api/v1/NS/replicationcontrollers',
      { ...namedB, spec: { replicas: 0, selector: { app: 'a' }, template } },
      { replicationcontrollers: '1' },
      { replicationcontrollers: '0' },
    ],
    [
      'replica set',
      '/apis/apps/v1/NS/replicasets',
      { ...namedB, spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template } },
      { 'count/replicasets.apps': '1' },
      { 'count/replicasets.apps': '0' },
    ],
    [
      'claim',
      '/api/v1/NS/persistentvolumeclaims',
      { ...namedB, spec: claim },
      { 'requests.storage': '1Gi', [`${gold}/requests.storage`]: '1Gi', [goldClaims]: '1' },
      { 'requests.storage': '0', [`${gold}/requests.storage`]: '0', [goldClaims]: '0' },
    ],
  ])('should create a ResourceQuota and capture the life of a %s', async (_kind, path, body, used, released) => {
    await limit('test-quota', { hard });
    await expectUsed({ resourcequotas: '1', ...released });
    await make(path, body);
    await expectUsed(used);
    await remove(`${path}/b`);
    await expectUsed(released);
  });

  test('should create a ResourceQuota and capture the life of a service', async () => {
    await limit('test-quota', { hard });
    const service = (name: string, type: string) => ({ metadata: { name }, spec: { type, ports: [{ port: 80 }] } });
    await make('/api/v1/NS/services', service('test-service', 'ClusterIP'));
    await make('/api/v1/NS/services', service('test-service-np', 'NodePort'));
    expect((await send('POST', '/api/v1/NS/services', service('test-service-lb', 'LoadBalancer'))).status).toBe(403);
    await expectUsed({ services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' });
    await remove('/api/v1/NS/services/test-service');
    await remove('/api/v1/NS/services/test-service-np');
    await expectUsed({ services: '0', 'services.nodeports': '0' });
  });

  test('should create a ResourceQuota and capture the life of a pod', async () => {
    await limit('test-quota', { hard });
    const pod = (name: string, requests: Amounts) => {
      const dongles = requests['example.com/dongle'];
      const limits = dongles === undefined ? {} : { 'example.com/dongle': dongles };
      return { metadata: { name }, spec: { containers: containers(requests, limits) } };
    };
    const requests = { cpu: '500m', memory: '252Mi', 'ephemeral-storage': '30Gi', 'example.com/dongle': '2' };
    await make('/api/v1/NS/pods', pod('test-pod', requests));
    const { 'example.com/dongle': dongles, ...others } = requests;
    const used = { pods: '1', ...others, 'requests.example.com/dongle': dongles };
    await expectUsed(used);
    const refused = [
      pod('fail-pod', { cpu: '600m', memory: '100Mi' }),
      pod('fail-pod-for-extended-resource', { ...requests, cpu: '100m', memory: '100Mi', 'ephemeral-storage': '1Gi' }),
    ];
    for (const one of refused) expect((await send('POST', '/api/v1/NS/pods', one)).status).toBe(403);
    const current = await cluster.client.pods(namespace).get('test-pod');
    const changed = { ...current, spec: { ...current.spec, containers: containers({ cpu: '100m', memory: '100Mi' }) } };
    expect((await send('PUT', '/api/v1/NS/pods/test-pod', changed)).status).toBeGreaterThanOrEqual(400);
    await expectUsed(used);
    await remove('/api/v1/NS/pods/test-pod');
    await expectUsed({
      pods: '0',
      cpu: '0',
      memory: '0',
      'ephemeral-storage': '0',
      'requests.example.com/dongle': '0',
    });
  });

  test.each<[string, string, object, Amounts]>([
    [
      'Terminating',
      'NotTerminating',
      { activeDeadlineSeconds: 3600 },
      { 'requests.cpu': '500m', 'limits.memory': '400Mi' },
    ],
    ['NotTerminating', 'Terminating', {}, { 'requests.cpu': '500m', 'limits.memory': '400Mi' }],
    ['BestEffort', 'NotBestEffort', { containers: containers() }, {}],
    ['NotBestEffort', 'BestEffort', {}, {}],
  ])('should verify ResourceQuota with the scope %s, and not %s', async (scope, other, spec, amounts) => {
    const none = Object.fromEntries(Object.keys(amounts).map((name) => [name, '0']));
    const bounds = Object.fromEntries(Object.keys(amounts).map((name) => [name, '2Gi']));
    for (const one of [scope, other]) await limit(one.toLowerCase(), { hard: { pods: '5', ...bounds }, scopes: [one] });
    const burstable = containers({ cpu: '500m', memory: '200Mi' }, { cpu: '1', memory: '400Mi' });
    await make('/api/v1/NS/pods', { metadata: { name: 'p' }, spec: { containers: burstable, ...spec } });
    await expectUsed({ pods: '1', ...amounts }, scope.toLowerCase());
    await expectUsed({ pods: '0', ...none }, other.toLowerCase());
    await remove('/api/v1/NS/pods/p');
    await expectUsed({ pods: '0', ...none }, scope.toLowerCase());
  });

  test('should apply changes to a resourcequota status, which the controller takes back within six minutes', async () => {
    await limit('test-quota', { hard: { cpu: '500m', memory: '500Mi' } });
    const ofSpec = { cpu: '1', memory: '1Gi' };
    await quotas().patch('test-quota', { spec: { hard: ofSpec } }, { type: 'strategic' });
    await cluster.settled();
    expect((await quotas().get('test-quota')).status?.hard).toEqual(ofSpec);
    const status = { hard: { cpu: '2', memory: '2Gi' } };
    const patched = await quotas().patch('test-quota', { status }, { type: 'strategic', subresource: 'status' });
    expect([patched.spec?.hard, patched.status?.hard]).toEqual([ofSpec, status.hard]);
    await cluster.clock.advance('6m');
    expect((await quotas().get('test-quota')).status?.hard).toEqual(ofSpec);
  });
});
