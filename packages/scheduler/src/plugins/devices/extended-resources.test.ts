import { type Container, type Pod, refs, type resourcev1 } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { classesByResource, extendedClaim } from './extended-resources.js';

const gpuName = 'example.com/gpu';

function container(name: string, gpus: number, more: Partial<Container> = {}): Container {
  return { name, image: 'i', resources: { requests: { cpu: '1', [gpuName]: String(gpus) } }, ...more };
}

function deviceClass(name: string, extendedResourceName?: string, creationTimestamp = 't1'): resourcev1.DeviceClass {
  return { metadata: { name, creationTimestamp }, spec: extendedResourceName ? { extendedResourceName } : {} };
}

test('classes by the resources that they provide: the newest, then the first by name', () => {
  const classes = [
    deviceClass('b', gpuName),
    deviceClass('a', gpuName),
    deviceClass('old', gpuName, 't0'),
    deviceClass('c'),
  ];
  const prefix = 'deviceclass.resource.kubernetes.io';
  expect(Object.fromEntries(classesByResource(classes))).toEqual({
    [gpuName]: 'a',
    [`${prefix}/a`]: 'a',
    [`${prefix}/b`]: 'b',
    [`${prefix}/c`]: 'c',
    [`${prefix}/old`]: 'old',
  });
});

describe('the claim for extended resources', () => {
  const sidecar = { restartPolicy: 'Always' };
  const cases: [string, Container[], Container[], Record<string, number>, string[]][] = [
    ['one container', [], [container('a', 2)], { 'container-0-request-1': 2 }, ['a=container-0-request-1']],
    [
      'two side by side',
      [],
      [container('a', 1), container('b', 1)],
      { 'container-0-request-1': 1, 'container-1-request-1': 1 },
      ['a=container-0-request-1', 'b=container-1-request-1'],
    ],
    [
      'an init container uses what the later one holds',
      [container('init', 1)],
      [container('a', 2)],
      { 'container-1-request-1': 2 },
      ['a=container-1-request-1', 'init=container-1-request-1'],
    ],
    [
      'init containers share what they need beyond that',
      [container('first', 2), container('second', 3)],
      [container('a', 1)],
      { 'container-1-request-1': 2, 'container-2-request-1': 1 },
      [
        'a=container-2-request-1',
        'first=container-2-request-1',
        'first=container-1-request-1',
        'second=container-2-request-1',
        'second=container-1-request-1',
      ],
    ],
    [
      'a sidecar that started before keeps its own',
      [container('side', 1, sidecar), container('init', 1)],
      [],
      { 'container-0-request-1': 1, 'container-1-request-1': 1 },
      ['side=container-0-request-1', 'init=container-1-request-1'],
    ],
  ];
  test.each(cases)('%s', (_name, initContainers, containers, requests, mappings) => {
    const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { initContainers, containers } };
    const made = extendedClaim({ pod, classes: new Map([[gpuName, 'gpu']]) });
    const requestCounts = (made.claim.spec.devices?.requests ?? []).map(({ name, exactly }) => [name, exactly?.count]);
    expect(Object.fromEntries(requestCounts)).toEqual(requests);
    expect(made.mappings.map((one) => `${one.containerName}=${one.requestName}`)).toEqual(mappings);
  });
});

describe('in a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
  });
  afterEach(() => cluster.stop());
  const nodeName = 'coracle-node-2';

  async function addDevices(count: number): Promise<void> {
    const devices = Array.from({ length: count }, (_, index) => ({ name: `gpu-${index}` }));
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
    await cluster.client
      .resource(refs.resourceSlices)
      .create({ metadata: { name: 's' }, spec: { driver: 'gpu.example.com', nodeName, pool, devices } });
  }

  const pods = () => cluster.client.resource(refs.pods, 'default');
  const claims = async () => (await cluster.client.resource(refs.resourceClaims, 'default').list()).items;

  async function createPod(name: string, resource: string, count = 1): Promise<void> {
    const amounts = { [resource]: String(count) };
    await pods().create({
      metadata: { name },
      spec: {
        containers: [{ name: 'app', image: 'app', resources: { requests: amounts, limits: amounts } }],
        terminationGracePeriodSeconds: 0,
      },
    });
    await cluster.clock.advance('5s');
  }

  async function createClass(): Promise<void> {
    await cluster.client
      .resource(refs.deviceClasses)
      .create({ metadata: { name: 'gpu' }, spec: { extendedResourceName: gpuName } });
  }

  test.each([gpuName, 'deviceclass.resource.kubernetes.io/gpu'])(
    'a pod that requests %s gets a device',
    async (resource) => {
      await addDevices(1);
      await createPod('first', resource);
      expect((await pods().get('first')).spec?.nodeName).toBeUndefined();
      await createClass();
      await cluster.clock.advance('15s');
      const first = await pods().get('first');
      expect(first.spec?.nodeName).toBe(nodeName);
      expect(first.status?.phase).toBe('Running');
      const [claim] = await claims();
      expect(claim).toMatchObject({
        metadata: {
          generateName: 'first-extended-resources-',
          annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
          ownerReferences: [{ kind: 'Pod', name: 'first', controller: true }],
        },
        status: {
          allocation: { devices: { results: [{ request: 'container-0-request-0', device: 'gpu-0' }] } },
          reservedFor: [{ resource: 'pods', name: 'first' }],
        },
      });
      expect(first.status?.extendedResourceClaimStatus).toEqual({
        requestMappings: [{ containerName: 'app', requestName: 'container-0-request-0', resourceName: resource }],
        resourceClaimName: claim?.metadata.name,
      });
      await createPod('second', resource);
      expect((await pods().get('second')).spec?.nodeName).toBeUndefined();
      await pods().delete('first');
      await cluster.clock.advance('1m');
      expect((await pods().get('second')).spec?.nodeName).toBe(nodeName);
      expect((await claims()).map(({ metadata }) => metadata.generateName)).toEqual(['second-extended-resources-']);
    },
  );

  test('where the node itself has the resource no claim is created', async () => {
    await addDevices(1);
    await createClass();
    const nodes = cluster.client.nodes();
    const node = await nodes.get('coracle-node-1');
    const amounts = { [gpuName]: '4' };
    await nodes.updateStatus({
      ...node,
      status: {
        ...node.status,
        capacity: { ...node.status?.capacity, ...amounts },
        allocatable: { ...node.status?.allocatable, ...amounts },
      },
    });
    await createPod('many', gpuName, 3);
    expect((await pods().get('many')).spec?.nodeName).toBe('coracle-node-1');
    expect(await claims()).toEqual([]);
  });
});
