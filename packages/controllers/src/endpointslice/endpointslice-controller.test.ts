import { type EndpointSlice, type Pod, refs, type Service } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const namespace = 'default';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components: { scheduler: false } });
  const labels = { 'topology.kubernetes.io/zone': 'z1' };
  await cluster.client.resource(refs.nodes).create({ metadata: { name: 'n1', labels } });
  await cluster.settled();
});
afterEach(() => cluster.stop());

const services = () => cluster.client.resource(refs.services, namespace);
const pods = () => cluster.client.resource(refs.pods, namespace);

async function slicesOf(name: string): Promise<EndpointSlice[]> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  return (await cluster.client.resource(refs.endpointSlices, namespace).list({ labelSelector })).items;
}

function createService(name: string, spec: Service['spec'] = {}): Promise<Service> {
  const ports = [{ name: 'http', port: 80, targetPort: 'web' }];
  return services().create({
    metadata: { name, labels: { app: name } },
    spec: { selector: { app: name }, ports, ...spec },
  });
}

async function runPod(app: string, id: number, ready = true, nodeName = 'n1'): Promise<Pod> {
  const ports = [{ name: 'web', containerPort: 8080 }];
  const pod = await pods().create({
    metadata: { name: `${app}-${id}`, labels: { app } },
    spec: { nodeName, containers: [{ name: 'c', image: 'i', ports }] },
  });
  const ip = `10.1.${id >> 8}.${id & 255}`;
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  return pods().updateStatus({ ...pod, status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } });
}

describe('endpoint slices', () => {
  test('contain the addresses of the pods of a service, and their state', async () => {
    const service = await createService('web', { trafficDistribution: 'PreferClose' });
    await runPod('web', 1);
    await runPod('web', 2, false);
    await cluster.settled();
    const [slice, ...others] = await slicesOf('web');
    expect(others).toEqual([]);
    expect(slice?.metadata).toMatchObject({
      generateName: 'web-',
      labels: {
        app: 'web',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [{ kind: 'Service', name: 'web', uid: service.metadata.uid, controller: true }],
    });
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['10.1.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'n1',
          zone: 'z1',
          hints: { forZones: [{ name: 'z1' }] },
          targetRef: { kind: 'Pod', name: 'web-1' },
        },
        { addresses: ['10.1.0.2'], conditions: { ready: false, serving: false, terminating: false } },
      ],
    });
  });

  test('there is one without endpoints while there are no pods', async () => {
    await createService('web', { clusterIP: 'None' });
    await cluster.settled();
    const [slice] = await slicesOf('web');
    expect(slice?.endpoints ?? []).toEqual([]);
    expect(slice?.metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
  });

  test('follow pods that terminate, are deleted and lose their label', async () => {
    await createService('web');
    for (const id of [1, 2, 3]) await runPod('web', id);
    await cluster.settled();
    await pods().delete('web-1');
    await pods().delete('web-2', { gracePeriodSeconds: 0 });
    await pods().patch('web-3', { metadata: { labels: { app: 'other' } } }, { type: 'merge' });
    await cluster.settled();
    const [slice] = await slicesOf('web');
    expect(slice?.endpoints?.map(({ addresses, conditions }) => [addresses[0], conditions])).toEqual([
      ['10.1.0.1', { ready: false, serving: true, terminating: true }],
    ]);
  });

  test('take in the pods of a headless service without ports', async () => {
    await services().create({ metadata: { name: 'web' }, spec: { selector: { app: 'web' }, clusterIP: 'None' } });
    await cluster.settled();
    await runPod('web', 1);
    await cluster.settled();
    const slices = await slicesOf('web');
    expect(slices.map(({ endpoints }) => endpoints?.map(({ addresses }) => addresses[0]))).toEqual([['10.1.0.1']]);
  });

  test('keep their name from before the first pod to after the last', async () => {
    await createService('web');
    await cluster.settled();
    const names = async () => (await slicesOf('web')).map(({ metadata }) => metadata.name);
    const [name] = await names();
    await runPod('web', 1);
    await cluster.settled();
    expect((await slicesOf('web'))[0]).toMatchObject({ metadata: { name }, ports: [{ port: 8080 }] });
    await pods().delete('web-1', { gracePeriodSeconds: 0 });
    await cluster.settled();
    expect(await names()).toEqual([name]);
    expect((await slicesOf('web'))[0]?.ports ?? []).toEqual([]);
  });

  test('are restored when another client has changed, relabelled or deleted them', async () => {
    await createService('web');
    await runPod('web', 1);
    await cluster.settled();
    const slices = cluster.client.resource(refs.endpointSlices, namespace);
    const addresses = async () =>
      (await slicesOf('web')).flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses));
    const name = (await slicesOf('web'))[0]?.metadata.name ?? '';
    await slices.patch(name, { endpoints: [] }, { type: 'merge' });
    await cluster.settled();
    expect(await addresses()).toEqual(['10.1.0.1']);
    await slices.patch(name, { metadata: { labels: { 'kubernetes.io/service-name': 'other' } } }, { type: 'merge' });
    await cluster.settled();
    expect(await addresses()).toEqual(['10.1.0.1']);
    await slices.delete((await slicesOf('web'))[0]?.metadata.name ?? '');
    await cluster.settled();
    expect(await addresses()).toEqual(['10.1.0.1']);
  });

  test('OTH-1 follow the pods of a service that waits to be deleted', async () => {
    const finalizers = ['example.com/wait'];
    await createService('web');
    await services().patch('web', { metadata: { finalizers } }, { type: 'merge' });
    await runPod('web', 1);
    await runPod('web', 2);
    await cluster.settled();
    await services().delete('web');
    await pods().delete('web-1', { gracePeriodSeconds: 0 });
    await cluster.settled();
    const [slice] = await slicesOf('web');
    expect(slice?.endpoints?.map(({ addresses }) => addresses[0])).toEqual(['10.1.0.2']);
    const { subsets = [] } = await cluster.client.resource(refs.endpoints, namespace).get('web');
    expect(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))).toEqual(['10.1.0.2']);
  });

  test.each([
    ['PreferClose', [{ forZones: [{ name: 'z1' }] }]],
    ['PreferSameZone', [{ forZones: [{ name: 'z1' }] }]],
    ['PreferSameNode', [{ forZones: [{ name: 'z1' }], forNodes: [{ name: 'n1' }] }]],
  ])('set hints for an endpoint with %s', async (trafficDistribution, hints) => {
    await createService('web', { trafficDistribution });
    await runPod('web', 1);
    await cluster.settled();
    expect((await slicesOf('web'))[0]?.endpoints?.map((endpoint) => endpoint.hints)).toEqual(hints);
    await services().patch('web', { spec: { trafficDistribution: null } }, { type: 'merge' });
    await cluster.settled();
    expect((await slicesOf('web'))[0]?.endpoints?.map((endpoint) => endpoint.hints)).toEqual([undefined]);
  });

  test('balance zones for a service that requests it, as nodes are added and removed', async () => {
    const setUp = async (name: string, zone: string) => {
      const labels = { 'topology.kubernetes.io/zone': zone };
      await cluster.client.nodes().create({ metadata: { name, labels } });
      const status = { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] };
      // Controllers update a new node as well.
      await cluster.client.nodes().patch(name, { status }, { type: 'merge', subresource: 'status' });
    };
    for (const [name, zone] of [
      ['a1', 'a'],
      ['b1', 'b'],
    ] as const)
      await setUp(name, zone);
    await createService('web');
    for (const id of [1, 2, 3, 4, 5]) await runPod('web', id, true, 'a1');
    await runPod('web', 6, true, 'b1');
    await cluster.settled();
    const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' };
    await services().patch('web', { metadata: { annotations } }, { type: 'merge' });
    await cluster.settled();
    const hints = async () =>
      (await slicesOf('web'))
        .flatMap(({ endpoints = [] }) => endpoints.map((one) => one.hints?.forZones?.[0]?.name ?? '-'))
        .sort()
        .join('');
    expect(await hints()).toBe('aaabbb');

    await setUp('c1', 'c');
    await cluster.settled();
    expect(await hints()).toBe('aabbcc');

    await services().patch('web', { metadata: { annotations: null } }, { type: 'merge' });
    await cluster.settled();
    expect(await hints()).toBe('------');
    const { items } = await cluster.client.events(namespace).list();
    const hintEvents = items.filter(({ reason }) => reason?.startsWith('TopologyAwareHints'));
    expect(hintEvents.map(({ type, message, source }) => [type, message, source?.component])).toEqual([
      ['Normal', 'Topology Aware Hints has been enabled, addressType: IPv4', 'endpoint-slice-controller'],
      ['Warning', 'Topology Aware Hints has been disabled, addressType: IPv4', 'endpoint-slice-controller'],
    ]);
  });

  test('are retried with backoff until the node of a pod is known', async () => {
    await createService('web');
    await runPod('web', 1, true, 'nowhere');
    await cluster.clock.advance('20s');
    const { items } = await cluster.client.events(namespace).list();
    const failure = items.find(({ reason }) => reason === 'FailedToUpdateEndpointSlices');
    // At once, and after a further 1, 2, 4 and 8 seconds.
    expect(failure?.count).toBe(5);
    await cluster.client.nodes().create({ metadata: { name: 'nowhere' } });
    await cluster.clock.advance('20s');
    expect((await slicesOf('web'))[0]?.endpoints).toHaveLength(1);
  });

  test('skip a pod of an unknown node, and record an event', async () => {
    await createService('web');
    const pod = await runPod('web', 1, true, 'nowhere');
    await cluster.clock.advance('2s');
    expect((await slicesOf('web'))[0]?.endpoints ?? []).toEqual([]);
    const { items } = await cluster.client.events(namespace).list();
    expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      `FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/web: skipping Pod ${pod.metadata.name} for Service default/web: Node nowhere Not Found`,
    );
  });

  test.each([
    {
      resource: 'endpointslices.discovery.k8s.io',
      message403:
        'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/web: failed to create EndpointSlice for Service default/web: ',
    },
    {
      resource: 'endpoints',
      message403: 'FailedToCreateEndpoint: Failed to create endpoint for service default/web: ',
    },
  ])('OTH-1 that cannot be created are reported with the reason: $resource', async ({ resource, message403 }) => {
    const hard = { [`count/${resource}`]: '0' };
    await cluster.client.resourceQuotas(namespace).create({ metadata: { name: 'none' }, spec: { hard } });
    await cluster.settled();
    await createService('web');
    await cluster.clock.advance('2s');
    const { items } = await cluster.client.events(namespace).list();
    const texts = items.map(({ reason, message }) => `${reason}: ${message}`);
    expect(texts.filter((text) => text.startsWith(message403) && text.includes('exceeded quota: none'))).not.toEqual(
      [],
    );
  });

  test('hold no more than a hundred endpoints, and are not written for each pod', async () => {
    await createService('web');
    let writes = 0;
    const watch = cluster.client
      .resource(refs.endpointSlices, namespace)
      .openWatch({}, { event: () => void writes++, end: () => {} });
    for (let id = 0; id < 250; id++) await runPod('web', id);
    await cluster.clock.advance('10s');
    watch[Symbol.dispose]();
    const slices = await slicesOf('web');
    expect(slices.flatMap(({ endpoints = [] }) => endpoints)).toHaveLength(250);
    expect(slices.every(({ endpoints = [] }) => endpoints.length <= 100)).toBe(true);
    expect(slices.length).toBeLessThanOrEqual(4);
    expect(writes).toBeLessThan(60);
  });

  test('are mirrored from Endpoints that a user writes', async () => {
    await services().create({ metadata: { name: 'ext' }, spec: { ports: [{ port: 80 }] } });
    const endpoints = cluster.client.resource(refs.endpoints, namespace);
    await endpoints.create({
      metadata: { name: 'ext' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    });
    await cluster.settled();
    const [slice] = await slicesOf('ext');
    expect(slice?.metadata.labels?.['endpointslice.kubernetes.io/managed-by']).toBe(
      'endpointslicemirroring-controller.k8s.io',
    );
    expect(slice?.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: { ready: true } }]);
    await endpoints.delete('ext');
    await cluster.settled();
    expect(await slicesOf('ext')).toEqual([]);
  });

  test('have the labels and annotations of the Endpoints, except for those about their own writes', async () => {
    await services().create({ metadata: { name: 'ext' }, spec: { ports: [{ port: 80 }] } });
    const endpoints = cluster.client.resource(refs.endpoints, namespace);
    await endpoints.create({
      metadata: {
        name: 'ext',
        labels: { tier: 'back' },
        annotations: { note: 'one', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    });
    await cluster.settled();
    const annotations = async () => (await slicesOf('ext')).map(({ metadata }) => metadata.annotations ?? {});
    expect(await annotations()).toEqual([{ note: 'one' }]);
    expect((await slicesOf('ext'))[0]?.metadata.labels).toMatchObject({ tier: 'back' });
    await endpoints.patch('ext', { metadata: { annotations: { note: 'two' } } }, { type: 'merge' });
    await cluster.settled();
    expect(await annotations()).toEqual([{ note: 'two' }]);
    await endpoints.patch(
      'ext',
      { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
      { type: 'merge' },
    );
    await cluster.settled();
    expect(await slicesOf('ext')).toEqual([]);
  });
});

describe('OTH-1 endpoints', () => {
  test('have the same pods in one object, and are deleted with their service', async () => {
    await createService('web');
    await runPod('web', 1);
    await runPod('web', 2, false);
    await cluster.settled();
    const endpoints = cluster.client.resource(refs.endpoints, namespace);
    expect(await endpoints.get('web')).toMatchObject({
      metadata: { labels: { app: 'web', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [
        {
          addresses: [{ ip: '10.1.0.1', nodeName: 'n1', targetRef: { name: 'web-1' } }],
          notReadyAddresses: [{ ip: '10.1.0.2' }],
          ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
        },
      ],
    });
    await services().delete('web');
    await cluster.settled();
    const left = await endpoints.list();
    expect(left.items.map(({ metadata }) => metadata.name)).not.toContain('web');
  });
});
