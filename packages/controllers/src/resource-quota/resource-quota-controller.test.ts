import type { ResourceQuota, Service } from '@coracle/api';
import { amountsOf, refs } from '@coracle/api';
import { StatusError } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quotaStatus } from './quota-status.js';

describe('quotaStatus', () => {
  const cases: { name: string; quota: ResourceQuota; used: Record<string, string>; status: unknown }[] = [
    {
      name: 'takes over what the spec allows, and says what is in use of that alone',
      quota: { metadata: {}, spec: { hard: { pods: '2' } } },
      used: { pods: '1', configmaps: '5', constructor: '7' },
      status: { hard: { pods: '2' }, used: { pods: '1' } },
    },
    {
      name: 'stays as it is when it says the same in other words',
      quota: { metadata: {}, spec: { hard: { cpu: '1' } }, status: { hard: { cpu: '1000m' }, used: { cpu: '0.5' } } },
      used: { cpu: '500m' },
      status: undefined,
    },
    {
      name: 'keeps the figure of what could not be counted, unless it is no longer limited',
      quota: {
        metadata: {},
        spec: { hard: { pods: '2', 'count/boats.example.com': '5' } },
        status: { hard: { pods: '2' }, used: { pods: '2', 'count/boats.example.com': '3', secrets: '1' } },
      },
      used: { pods: '1' },
      status: {
        hard: { pods: '2', 'count/boats.example.com': '5' },
        used: { pods: '1', 'count/boats.example.com': '3' },
      },
    },
    {
      name: 'is written once even if nothing is in use',
      quota: { metadata: {}, spec: {} },
      used: {},
      status: { hard: {}, used: {} },
    },
  ];
  test.each(cases)('$name', ({ quota, used, status }) => {
    expect(quotaStatus(quota, amountsOf(used))).toEqual(status);
  });
});

describe('quotas', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
    await cluster.client.namespaces().create({ metadata: { name: 'a' } });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const limit = async (name: string, hard: Record<string, string>, spec: ResourceQuota['spec'] = {}) => {
    await cluster.client.resourceQuotas('a').create({ metadata: { name }, spec: { hard, ...spec } });
    await cluster.settled();
  };
  const used = async (name = 'q') => (await cluster.client.resourceQuotas('a').get(name)).status?.used;
  const createConfigMap = (name: string) => cluster.client.configMaps('a').create({ metadata: { name } });

  test('OTH-4 count existing objects when they are created, and changes after that', async () => {
    await createConfigMap('before');
    await limit('q', { configmaps: '5', 'count/deployments.apps': '2' });
    expect(await used()).toEqual({ configmaps: '2', 'count/deployments.apps': '0' });

    await createConfigMap('after');
    expect(await used()).toMatchObject({ configmaps: '3' });

    await cluster.client.configMaps('a').delete('before');
    await cluster.settled();
    expect(await used()).toMatchObject({ configmaps: '2' });
  });

  test('reject objects that exceed them, with upstream’s message', async () => {
    await limit('q', { configmaps: '1' });
    expect(await messageOf(createConfigMap('x'))).toBe(
      'configmaps "x" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    );
  });

  test('are enforced for a hundred concurrent creates', async () => {
    await limit('q', { configmaps: '11' });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => createConfigMap(`c${index}`)));
    await cluster.settled();

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect((await cluster.client.configMaps('a').list()).items).toHaveLength(11);
    expect(await used()).toEqual({ configmaps: '11' });
  });

  test('are not charged if another one rejects the object', async () => {
    await limit('q1', { configmaps: '9' });
    await limit('q2', { configmaps: '1' });
    expect(await messageOf(createConfigMap('x'))).toContain('exceeded quota: q2');
    expect(await used('q1')).toEqual({ configmaps: '1' });
  });

  test('require requests for compute resources', async () => {
    await limit('q', { 'limits.cpu': '1', pods: '5' });
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect(await messageOf(cluster.client.pods('a').create(pod))).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c',
    );
  });

  test('charge pods until they have ended', async () => {
    await limit('q', { pods: '1', 'requests.cpu': '1' });
    const resources = { requests: { cpu: '500m' } };
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources }] };
    const pods = cluster.client.pods('a');
    const pod = await pods.create({ metadata: { name: 'p' }, spec });
    expect(await used()).toEqual({ pods: '1', 'requests.cpu': '500m' });
    expect(await messageOf(pods.create({ metadata: { name: 'p2' }, spec }))).toContain('exceeded quota');

    await pods.updateStatus({ ...pod, status: { phase: 'Succeeded' } });
    await cluster.settled();
    expect(await used()).toEqual({ pods: '0', 'requests.cpu': '0' });
  });

  test('charge a change of a service for the difference', async () => {
    await limit('q', { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' });
    const services = cluster.client.services('a');
    const service = await services.create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    const typed = (type: string): Service => ({ ...service, spec: { ...service.spec, type } });

    expect(await messageOf(services.update(typed('LoadBalancer')))).toContain(
      'requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
    );
    await services.update(typed('NodePort'));
    expect(await used()).toEqual({ services: '1', 'services.nodeports': '1', 'services.loadbalancers': '0' });
  });

  test('ignore objects out of their scope', async () => {
    await limit('q', { pods: '0' }, { scopes: ['NotBestEffort'] });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await cluster.client.pods('a').create({ metadata: { name: 'p' }, spec });
    expect(await used()).toEqual({ pods: '0' });
  });

  test('are charged for a pod that enters their scope, and no longer for one that leaves it', async () => {
    await limit('short', { pods: '1', 'requests.cpu': '1' }, { scopes: ['Terminating'] });
    await limit('long', { pods: '5', 'requests.cpu': '1' }, { scopes: ['NotTerminating'] });
    const resources = { requests: { cpu: '100m' } };
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources }] };
    const pods = cluster.client.pods('a');
    const setDeadline = (name: string) => pods.patch(name, { spec: { activeDeadlineSeconds: 600 } }, { type: 'merge' });
    for (const name of ['p1', 'p2']) await pods.create({ metadata: { name }, spec });
    expect([await used('short'), await used('long')]).toEqual([
      { pods: '0', 'requests.cpu': '0' },
      { pods: '2', 'requests.cpu': '200m' },
    ]);

    await setDeadline('p1');
    await cluster.settled();
    expect([await used('short'), await used('long')]).toEqual([
      { pods: '1', 'requests.cpu': '100m' },
      { pods: '1', 'requests.cpu': '100m' },
    ]);
    expect(await messageOf(setDeadline('p2'))).toBe(
      'pods "p2" is forbidden: exceeded quota: short, requested: pods=1, used: pods=1, limited: pods=1',
    );
  });

  test('charge a pod that is made smaller for what it had until the kubelet has done so', async () => {
    await limit('q', { 'requests.cpu': '2' });
    const resources = (cpu: string) => ({ resources: { requests: { cpu } } });
    const pods = cluster.client.pods('a');
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', ...resources('1') }] };
    const pod = await pods.create({ metadata: { name: 'p' }, spec });
    const report = async (cpu: string) => {
      const container = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 };
      const containerStatuses = [{ ...container, ...resources(cpu), allocatedResources: { cpu } }];
      await pods.patch(
        'p',
        { status: { phase: 'Running', containerStatuses } },
        { type: 'merge', subresource: 'status' },
      );
      await cluster.settled();
    };
    await report('1');
    const smaller = { spec: { containers: [{ name: 'c', ...resources('500m') }] } };
    await pods.patch(pod.metadata.name ?? '', smaller, { type: 'strategic', subresource: 'resize' });
    await cluster.settled();
    expect(await used()).toEqual({ 'requests.cpu': '1' });

    await report('500m');
    expect(await used()).toEqual({ 'requests.cpu': '500m' });
  });

  test('count device classes that pods request by their names', async () => {
    const name = 'deviceclass.resource.kubernetes.io/gold';
    await limit('q', { [`requests.${name}`]: '2' });
    const resources = { requests: { [name]: '2' }, limits: { [name]: '2' } };
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources }] };
    await cluster.client.pods('a').create({ metadata: { name: 'p' }, spec });
    expect(await used()).toEqual({ [`requests.${name}`]: '2' });
    expect(await messageOf(cluster.client.pods('a').create({ metadata: { name: 'p2' }, spec }))).toContain(
      `exceeded quota: q, requested: requests.${name}=2`,
    );
  });

  test('count devices that claims request with those that pods request', async () => {
    const { client } = cluster;
    const resource = 'example.com/gpu';
    const name = `requests.${resource}`;
    await client
      .resource(refs.deviceClasses)
      .create({ metadata: { name: 'gpu' }, spec: { extendedResourceName: resource } });
    await cluster.settled();
    const claim = (claimName: string, count: number) => {
      const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count };
      const spec = { devices: { requests: [{ name: 'r', exactly }] } };
      return client.resource(refs.resourceClaims, 'a').create({ metadata: { name: claimName }, spec });
    };
    const resources = { requests: { [resource]: '1' }, limits: { [resource]: '1' } };
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources }] };
    await client.pods('a').create({ metadata: { name: 'p' }, spec });
    await claim('two', 2);
    await limit('q', { [name]: '4' });
    expect(await used()).toEqual({ [name]: '3' });

    await claim('one', 1);
    expect(await messageOf(claim('more', 1))).toContain(
      `exceeded quota: q, requested: ${name}=1, used: ${name}=4, limited: ${name}=4`,
    );
    await client.resource(refs.resourceClaims, 'a').delete('two');
    await cluster.settled();
    expect(await used()).toEqual({ [name]: '2' });
  });

  test('are not charged by a dry run, which they refuse as a real request', async () => {
    await limit('q', { configmaps: '2' });
    const dryRun = (name: string) => cluster.client.configMaps('a').create({ metadata: { name } }, { dryRun: true });
    await dryRun('x');
    expect(await used()).toEqual({ configmaps: '1' });
    await createConfigMap('y');
    expect(await messageOf(dryRun('z'))).toContain('exceeded quota: q');
  });

  test('correct charges of failed creations within five minutes', async () => {
    await limit('q', { configmaps: '5' });
    await createConfigMap('x');
    expect(await messageOf(createConfigMap('x'))).toContain('already exists');
    expect(await used()).toEqual({ configmaps: '3' });
    await cluster.clock.advance('5m');
    expect(await used()).toEqual({ configmaps: '2' });
  });
});

async function messageOf(action: Promise<unknown>): Promise<string | undefined> {
  const error = await action.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return StatusError.is(error) ? error.status.message : undefined;
}
