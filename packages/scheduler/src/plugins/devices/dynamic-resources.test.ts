import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, describe, expect, test } from 'vitest';
import { makeNode, makePodInfo } from '../../builders.fixture.js';
import { CycleState } from '../../framework/cycle-state.js';
import { allocateDevices, canAllocate } from './allocate-devices.js';
import { AllocatedDevices } from './allocated-devices.js';
import { ClaimRequests, RequestKinds } from './claim-requests.js';
import { devicesOf } from './device-pools.js';
import { DeviceSelectors } from './device-selectors.js';
import { dynamicResources } from './dynamic-resources.js';
import { ExtendedClasses } from './extended-classes.js';

const driver = 'gpu.example.com';
const node = makeNode('n1');
const kinds = new RequestKinds();

function slice(devices: resourcev1.Device[], spec: object = {}): resourcev1.ResourceSlice {
  return {
    metadata: { name: 's' },
    spec: { driver, nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 }, devices, ...spec },
  };
}

function gpu(name: string, parts: object = {}): resourcev1.Device {
  return {
    name,
    attributes: { model: { string: name.startsWith('a') ? 'a100' : 'l4' }, numa: { int: Number(name.at(-1)) % 2 } },
    capacity: { memory: { value: name.startsWith('a') ? '80Gi' : '24Gi' } },
    ...parts,
  };
}

function claim(requests: object[], constraints: object[] = []): resourcev1.ResourceClaim {
  return {
    metadata: { name: 'c', namespace: 'default', uid: 'c' },
    spec: { devices: { requests, constraints } as never },
  };
}

const exactly = (name: string, more: object = {}) => ({ name, exactly: { deviceClassName: 'gpu', ...more } });
const where = (expression: string) => ({ selectors: [{ cel: { expression } }] });

/** Devices or shares that are allocated to other claims. */
function useOf(results: readonly Partial<resourcev1.DeviceRequestAllocationResult>[]): AllocatedDevices {
  const use = new AllocatedDevices();
  const common = { request: 'r', driver, pool: 'n1', device: '' };
  use.add({ devices: { results: results.map((one) => ({ ...common, ...one })) } });
  return use;
}

type Shared = Partial<resourcev1.DeviceRequestAllocationResult>;

/** `request=device` for each allocated device; `undefined` if the allocation failed. */
function found(
  resourceClaim: resourcev1.ResourceClaim,
  slices: readonly resourcev1.ResourceSlice[],
  taken: readonly string[] = [],
): string[] | undefined {
  const results = allocated(
    resourceClaim,
    slices,
    taken.map((device) => ({ device })),
  );
  return results?.map(({ request, device }) => `${request}=${device}`);
}

function allocated(
  resourceClaim: resourcev1.ResourceClaim,
  slices: readonly resourcev1.ResourceSlice[],
  others: readonly Shared[],
): readonly resourcev1.DeviceRequestAllocationResult[] | undefined {
  const classOf = (name: string) =>
    name === 'gpu'
      ? { metadata: { name }, spec: { selectors: [{ cel: { expression: `device.driver == '${driver}'` } }] } }
      : undefined;
  const results = allocateDevices({
    claims: [resourceClaim],
    requests: new ClaimRequests([resourceClaim], { classOf, kinds }),
    node,
    available: devicesOf(node, slices),
    use: useOf(others),
    shareId: () => 'share',
    selectors: new DeviceSelectors(),
    classOf,
  });
  return results?.get('default/c')?.devices?.results;
}

const four = slice([gpu('a0'), gpu('a1'), gpu('l2'), gpu('l3')]);

describe('whether a node has devices', () => {
  const classOf = () => ({ metadata: { name: 'gpu' }, spec: {} });
  const allocationOf = (device: string, pool = 'n1') => ({
    devices: { results: [{ request: 'r', driver, pool, device }] },
  });

  /** Counts how often devices were evaluated. */
  function setUp(count: number) {
    const use = new AllocatedDevices();
    const available = devicesOf(node, [four]);
    let looks = 0;
    const counted = new Proxy(use, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name === 'isTaken') looks++;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const search = () => {
      const resourceClaim = claim([exactly('r', { count })]);
      const requests = new ClaimRequests([resourceClaim], { classOf, kinds });
      const common = { claims: [resourceClaim], requests, node, available, selectors: new DeviceSelectors(), classOf };
      looks = 0;
      return {
        canFill: canAllocate({ ...common, use: counted, shareId: () => 'share' }) === 'yes',
        searched: looks > 0,
      };
    };
    return { use, search };
  }

  test('one that had too few is searched again once some are released', () => {
    const { use, search } = setUp(4);
    use.add(allocationOf('a1'));
    expect([search(), search()]).toEqual([
      { canFill: false, searched: true },
      { canFill: false, searched: false },
    ]);
    use.add(allocationOf('l2'));
    use.remove(allocationOf('l2'));
    expect(search()).toEqual({ canFill: false, searched: true });
    use.remove(allocationOf('a1'));
    expect(search()).toEqual({ canFill: true, searched: true });
  });

  test('one that had enough is searched again once one of its devices is allocated', () => {
    const { use, search } = setUp(3);
    expect([search(), search()]).toEqual([
      { canFill: true, searched: true },
      { canFill: true, searched: false },
    ]);
    use.add(allocationOf('a1'));
    expect(search()).toEqual({ canFill: true, searched: true });
    use.add(allocationOf('l2'));
    expect(search()).toEqual({ canFill: false, searched: true });
  });

  test('a search that takes too long ends, and is repeated later', () => {
    const available = devicesOf(node, [slice(Array.from({ length: 20 }, (_, index) => gpu(`a${index}`)))]);
    const constraints = [{ matchAttribute: 'gpu.example.com/missing' }];
    const claims = [claim([exactly('r', { count: 1 }), exactly('s', { count: 10 })])];
    const hard = [claim([exactly('r', { count: 10 })], constraints)];
    const noUse = new AllocatedDevices();
    const search = (looked: resourcev1.ResourceClaim[], limitMs: number) => {
      let now = 0;
      const tick = () => {
        now += 1_000;
        return now;
      };
      return canAllocate({
        ...{ claims: looked, requests: new ClaimRequests(looked, { classOf, kinds }), node, available },
        ...{ use: noUse, shareId: () => 'share', selectors: new DeviceSelectors(), classOf },
        // The clock advances by a second at each check.
        timeLimit: { clock: { now: tick }, limitMs },
      });
    };
    expect(search(claims, 2_000)).toBe('timed-out');
    expect(search(claims, 10_000)).toBe('yes');
    expect(search(claims, 2_000)).toBe('yes');
    expect(search(hard, 10_000)).toBe('no');
  });

  test('changes of devices of other nodes are ignored', () => {
    const { use, search } = setUp(3);
    search();
    use.add(allocationOf('a1', 'n2'));
    use.remove(allocationOf('a1', 'n2'));
    expect(search()).toEqual({ canFill: true, searched: false });
  });
});

describe('shares of a device', () => {
  const policies: Record<string, object> = {
    steps: { default: '1Gi', validRange: { min: '2Gi', max: '8Gi', step: '2Gi' } },
    values: { default: '4Gi', validValues: ['4Gi', '8Gi'] },
    none: {},
  };
  const shareable = (policy: string) => {
    const requestPolicy = policies[policy];
    const memory = { value: '16Gi', ...(policy !== 'none' && { requestPolicy }) };
    return slice([gpu('a0', { allowMultipleAllocations: true, capacity: { memory } })]);
  };
  const asking = (memory: string | undefined, count = 1) =>
    claim([exactly('r', { count, ...(memory && { capacity: { requests: { memory } } }) })]);
  const other = (memory: string): Shared => ({ device: 'a0', shareID: 'x', consumedCapacity: { memory } });

  test.each<[string, string, string | undefined, Shared[], string[] | undefined]>([
    ['what is requested', 'none', '3Gi', [], ['3Gi']],
    ['all of it if nothing is requested', 'none', undefined, [], ['16Gi']],
    ['the default', 'values', undefined, [], ['4Gi']],
    ['the next larger amount', 'values', '5Gi', [], ['8Gi']],
    ['not more than the largest amount', 'values', '9Gi', [], undefined],
    ['at least the least amount', 'steps', '1Gi', [], ['2Gi']],
    ['up to the next step', 'steps', '5Gi', [], ['6Gi']],
    ['not more than the range', 'steps', '9Gi', [], undefined],
    ['beside others', 'none', '4Gi', [other('6Gi'), other('6Gi')], ['4Gi']],
    ['not more than is left', 'none', '5Gi', [other('6Gi'), other('6Gi')], undefined],
    ['not of one that is allocated whole', 'none', '1Gi', [{ device: 'a0' }], undefined],
  ])('are %s', (_name, policy, memory, others, expected) => {
    const results = allocated(asking(memory), [shareable(policy)], others);
    expect(results?.map(({ consumedCapacity }) => consumedCapacity?.['memory'])).toEqual(expected);
    for (const { shareID } of results ?? []) expect(shareID).toBe('share');
  });

  test('one request may have several of a device, as long as there is room', () => {
    const count = (shares: number) => allocated(asking('6Gi', shares), [shareable('none')], [])?.length;
    expect([count(2), count(3)]).toEqual([2, undefined]);
  });

  test('a device that is allocated whole must have the requested capacity', () => {
    const resourceClaim = claim([exactly('r', { capacity: { requests: { memory: '40Gi' } } })]);
    expect(found(resourceClaim, [slice([gpu('l0'), gpu('a1')])])).toEqual(['r=a1']);
  });
});

describe('devices for a claim', () => {
  const model = `device.attributes['${driver}'].model`;
  const cases: [string, resourcev1.ResourceClaim, string[] | undefined, string[]?][] = [
    ['any device', claim([exactly('r')]), ['r=a0']],
    ['not one that is taken', claim([exactly('r')]), ['r=a1'], ['a0']],
    ['of a model', claim([exactly('r', where(`${model} == 'l4'`))]), ['r=l2']],
    [
      'with enough memory',
      claim([exactly('r', where(`device.capacity['${driver}'].memory.compareTo(quantity('40Gi')) > 0`))]),
      ['r=a0'],
    ],
    [
      'of a domain that it says nothing of',
      claim([exactly('r', where("'x' in device.attributes['other.io']"))]),
      undefined,
    ],
    ['several', claim([exactly('r', { count: 3 })]), ['r=a0', 'r=a1', 'r=l2']],
    ['too many', claim([exactly('r', { count: 5 })]), undefined],
    [
      'all of a kind',
      claim([exactly('r', { allocationMode: 'All', ...where(`${model} == 'a100'`) })]),
      ['r=a0', 'r=a1'],
    ],
    ['all, one of which is taken', claim([exactly('r', { allocationMode: 'All' })]), undefined, ['l3']],
    ['taken ones, to look after them', claim([exactly('r', { adminAccess: true })]), ['r=a0'], ['a0']],
    [
      'the second choice',
      claim([
        {
          name: 'r',
          firstAvailable: [
            { name: 'big', deviceClassName: 'gpu', count: 9 },
            { name: 'small', deviceClassName: 'gpu' },
          ],
        },
      ]),
      ['r/small=a0'],
    ],
    [
      'with the same attribute, also if the first try was wrong',
      claim(
        [exactly('x'), exactly('y', where(`${model} == 'l4'`))],
        [{ requests: ['x', 'y'], matchAttribute: `${driver}/model` }],
      ),
      ['x=l2', 'y=l3'],
    ],
    [
      'with another attribute each',
      claim([exactly('x'), exactly('y')], [{ distinctAttribute: `${driver}/model` }]),
      ['x=a0', 'y=l2'],
    ],
    ['of a class that is missing', claim([{ name: 'r', exactly: { deviceClassName: 'none' } }]), undefined],
  ];
  test.each(cases)('%s', (_, resourceClaim, expected, taken) => {
    expect(found(resourceClaim, [four], taken)).toEqual(expected);
  });

  test('are not of pools that are incomplete or older', () => {
    const pool = { name: 'n1', generation: 2, resourceSliceCount: 2 };
    expect(found(claim([exactly('r')]), [four, slice([gpu('a9')], { pool })])).toBeUndefined();
    const complete = { ...pool, resourceSliceCount: 1 };
    expect(found(claim([exactly('r')]), [four, slice([gpu('a9')], { pool: complete })])).toEqual(['r=a9']);
  });

  test('are those of a pool whose other slices are for other nodes', () => {
    const spread = { pool: { name: 'rack', generation: 1, resourceSliceCount: 2 } };
    const [own, other] = [slice([gpu('a0')], spread), slice([gpu('a1')], { ...spread, nodeName: 'n2' })];
    expect(found(claim([exactly('r')]), [own, other])).toEqual(['r=a0']);
    expect(found(claim([exactly('r', { allocationMode: 'All' })]), [own, other])).toEqual(['r=a0']);
    expect(found(claim([exactly('r')]), [own])).toBeUndefined();
    const newer = slice([gpu('a1')], { pool: { ...spread.pool, generation: 2 }, nodeName: 'n2' });
    expect(found(claim([exactly('r')]), [own, newer])).toBeUndefined();
  });

  test('are not of pools with two devices of one name', () => {
    const pool = { name: 'n1', generation: 1, resourceSliceCount: 2 };
    const twice = [slice([gpu('a0'), gpu('a1')], { pool }), slice([gpu('a1')], { pool })];
    expect(found(claim([exactly('r')]), twice)).toBeUndefined();
    const good = slice([gpu('a7')], { pool: { ...pool, name: 'good', resourceSliceCount: 1 } });
    expect(found(claim([exactly('r')]), [...twice, good])).toEqual(['r=a7']);
    expect(found(claim([exactly('r', { allocationMode: 'All' })]), [...twice, good])).toBeUndefined();
  });

  test('must not have untolerated taints', () => {
    const tainted = slice([gpu('a0', { taints: [{ key: 'broken', effect: 'NoSchedule' }] })]);
    expect(found(claim([exactly('r')]), [tainted])).toBeUndefined();
    const tolerations = [{ key: 'broken', operator: 'Exists' }];
    expect(found(claim([exactly('r', { tolerations })]), [tainted])).toEqual(['r=a0']);
  });

  test('that are parts of one device fit into it together', () => {
    const half = (name: string) =>
      gpu(name, { consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '40Gi' } } }] });
    const parts = slice([half('a0'), half('a1'), half('a2')], {
      sharedCounters: [{ name: 'card', counters: { memory: { value: '80Gi' } } }],
    });
    expect(found(claim([exactly('r', { count: 2 })]), [parts])).toEqual(['r=a0', 'r=a1']);
    expect(found(claim([exactly('r', { count: 3 })]), [parts])).toBeUndefined();
    expect(found(claim([exactly('r')]), [parts], ['a1', 'a2'])).toBeUndefined();
  });
});

describe('in a cluster', () => {
  let cluster: Cluster;
  afterEach(() => cluster.stop());

  test('pods get devices on the node that has them, and wait while there are none', async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const own = slice([gpu('a0')]);
    const nodeName = 'coracle-node-2';
    await client.resource(refs.resourceSlices).create({ ...own, spec: { ...own.spec, nodeName } });
    await client.resource(refs.resourceClaimTemplates, 'default').create({
      metadata: { name: 'one' },
      spec: { spec: { devices: { requests: [exactly('r')] } } },
    });
    const pods = client.resource(refs.pods, 'default');
    const create = (name: string) =>
      pods.create({
        metadata: { name },
        spec: {
          containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }],
          terminationGracePeriodSeconds: 0,
        },
      } as Pod);
    await create('first');
    await cluster.clock.advance('5s');
    await create('second');
    await cluster.clock.advance('5s');
    expect((await pods.get('first')).spec?.nodeName).toBe(nodeName);
    const { status } = await pods.get('second');
    expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toContain(
      '2 cannot allocate all claims',
    );
    const { items } = await client.resource(refs.resourceClaims, 'default').list();
    const [held] = items.filter((one) => one.status?.allocation);
    expect(held?.metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
    expect(held?.status).toMatchObject({
      allocation: { devices: { results: [{ request: 'r', driver, pool: 'n1', device: 'a0' }] } },
      reservedFor: [{ resource: 'pods', name: 'first' }],
    });
    await pods.delete('first');
    await cluster.clock.advance('1m');
    expect((await pods.get('second')).spec?.nodeName).toBe(nodeName);
  });

  test('a pool with two devices of one name is reported, and one with a slice for each of several nodes is used', async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const pool = { name: 'rack', generation: 1, resourceSliceCount: 2 };
    const slices = client.resource(refs.resourceSlices);
    for (const number of [1, 2]) {
      const { spec } = slice([gpu('a0')], { pool, nodeName: `coracle-node-${number}` });
      await slices.create({ metadata: { name: `s${number}` }, spec });
    }
    const twice = slice([gpu('b0')], { nodeName: 'coracle-node-2' });
    const both = { ...twice.spec, pool: { name: 'twice', generation: 1, resourceSliceCount: 2 } };
    for (const name of ['t1', 't2']) await slices.create({ metadata: { name }, spec: both });
    const pods = client.resource(refs.pods, 'default');
    const create = async (name: string, count: number) => {
      const spec = { devices: { requests: [exactly('r', { count })] } };
      await client.resource(refs.resourceClaims, 'default').create({ metadata: { name }, spec });
      const resourceClaims = [{ name: 'gpu', resourceClaimName: name }];
      const containers = [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }];
      await pods.create({ metadata: { name }, spec: { containers, resourceClaims } });
      await cluster.clock.advance('5s');
      return pods.get(name);
    };
    expect((await create('fits', 1)).spec?.nodeName).toMatch(/coracle-node-/);
    const { status } = await create('waits', 2);
    expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toContain(
      '0/2 nodes are available: 1 cannot allocate all claims, 1 invalid resource pools were encountered.',
    );
  });

  test.each([
    ['an invalid', 2, `asks for all devices, but resource pool ${driver}/twice is currently invalid`],
    ['an incomplete', 3, `asks for all devices, but resource pool ${driver}/twice is currently being updated`],
  ])('a request for all devices beside %s pool ends the attempt, which is repeated', async (_name, count, problem) => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const slices = client.resource(refs.resourceSlices);
    const nodeName = 'coracle-node-1';
    await slices.create({ metadata: { name: 'good' }, spec: slice([gpu('a0')], { nodeName }).spec });
    const pool = { name: 'twice', generation: 1, resourceSliceCount: count };
    const twice = slice([gpu('b0')], { nodeName, pool });
    for (const name of ['t1', 't2']) await slices.create({ metadata: { name }, spec: twice.spec });
    const spec = { devices: { requests: [exactly('r', { allocationMode: 'All' })] } };
    await client.resource(refs.resourceClaims, 'default').create({ metadata: { name: 'c' }, spec });
    const resourceClaims = [{ name: 'gpu', resourceClaimName: 'c' }];
    const containers = [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }];
    const pods = client.resource(refs.pods, 'default');
    await pods.create({ metadata: { name: 'p' }, spec: { containers, resourceClaims } });
    await cluster.clock.advance('5s');
    const condition = (await pods.get('p')).status?.conditions?.find(({ type }) => type === 'PodScheduled');
    expect(condition).toMatchObject({
      reason: 'SchedulerError',
      message: `running "DynamicResources" filter plugin: claim default/c, request r: ${problem}`,
    });
    for (const name of ['t1', 't2']) await slices.delete(name);
    await cluster.clock.advance('1m');
    expect((await pods.get('p')).spec?.nodeName).toBe(nodeName);
  });

  test('a pod whose templates requested no claims is none of the plugin', async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
    const { client, clock } = cluster;
    const random = seededRandom(1);
    await using informers = createInformers({ client, clock, random, logger: silentLogger });
    const plugin = dynamicResources({
      ...{ client, informers, clock, random, filterTimeoutMs: 0, bindingTimeoutMs: 0, taintRules: () => [] },
      recorder: () => ({ event: () => {} }),
      extendedClasses: new ExtendedClasses(informers),
    });
    const spec = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] };
    const kindFor = (made: object) => {
      const pod = makePodInfo('p', { spec, status: { resourceClaimStatuses: [{ name: 'gpu', ...made }] } });
      return plugin.preFilter(new CycleState([]), pod, []).kind;
    };
    expect(kindFor({})).toBe('skip');
    expect(kindFor({ resourceClaimName: 'made' })).toBe('unschedulable-and-unresolvable');
  });

  test('a node that had too few devices gets pods once a slice has more of them', async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const { metadata, spec } = slice([]);
    const nodeName = 'coracle-node-2';
    const slices = client.resource(refs.resourceSlices);
    const made = await slices.create({ metadata, spec: { ...spec, nodeName, devices: [gpu('a0')] } });
    const pods = client.resource(refs.pods, 'default');
    for (const name of ['one', 'two', 'three']) {
      await client.resource(refs.resourceClaims, 'default').create({
        metadata: { name },
        spec: { devices: { requests: [exactly('r')] } },
      });
      await pods.create({
        metadata: { name },
        spec: {
          containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
        },
      } as Pod);
    }
    const placed = async () => (await pods.list()).items.filter((pod) => pod.spec?.nodeName === nodeName).length;
    await cluster.clock.advance('5s');
    expect(await placed()).toBe(1);
    await slices.update({ ...made, spec: { ...made.spec, devices: [gpu('a0'), gpu('a1')] } });
    await cluster.clock.advance('1m');
    expect(await placed()).toBe(2);
  });

  test('a claim that no other pod uses is deallocated on a node where its pod cannot run', async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const nodes = ['coracle-node-1', 'coracle-node-2'];
    for (const nodeName of nodes)
      await client.resource(refs.resourceSlices).create({
        metadata: { name: nodeName },
        spec: { ...slice([gpu('a0')]).spec, nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
      });
    const claims = client.resource(refs.resourceClaims, 'default');
    const made = await claims.create({ metadata: { name: 'c' }, spec: { devices: { requests: [exactly('r')] } } });
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['coracle-node-1'] }];
    const results = [{ request: 'r', driver, pool: 'coracle-node-1', device: 'a0' }];
    const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } };
    await claims.updateStatus({ ...made, status: { allocation } });
    const pods = client.resource(refs.pods, 'default');
    await pods.create({
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }],
        nodeSelector: { 'kubernetes.io/hostname': 'coracle-node-2' },
      },
    } as Pod);
    await cluster.clock.advance('1m');
    expect((await pods.get('p')).spec?.nodeName).toBe('coracle-node-2');
    expect((await claims.get('c')).status?.allocation?.devices?.results).toMatchObject([{ pool: 'coracle-node-2' }]);
  });

  test.each(['coracle-node-1', 'coracle-node-2'])(
    'a pod goes where it gets the first of its alternatives: %s',
    async (best) => {
      cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
      const { client } = cluster;
      await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
      for (const nodeName of ['coracle-node-1', 'coracle-node-2'])
        await client.resource(refs.resourceSlices).create({
          metadata: { name: nodeName },
          spec: {
            ...slice([gpu('a0'), ...(nodeName === best ? [gpu('a1')] : [])]).spec,
            ...{ nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
          },
        });
      const firstAvailable = [
        { name: 'two', deviceClassName: 'gpu', count: 2 },
        { name: 'one', deviceClassName: 'gpu' },
      ];
      const claims = client.resource(refs.resourceClaims, 'default');
      await claims.create({
        metadata: { name: 'c' },
        spec: { devices: { requests: [{ name: 'r', firstAvailable }] } },
      });
      // The scheduler has seen the devices of both nodes.
      await cluster.settled();
      const pods = client.resource(refs.pods, 'default');
      await pods.create({
        metadata: { name: 'p' },
        spec: {
          containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }],
        },
      } as Pod);
      await cluster.clock.advance('5s');
      expect((await pods.get('p')).spec?.nodeName).toBe(best);
    },
  );

  test('two profiles do not allocate one device to pods that come at the same time', async () => {
    const profiles = ['default-scheduler', 'other'].map((schedulerName) => ({ schedulerName }));
    cluster = await startCluster({
      listen: false,
      clock: 'virtual',
      nodes: 1,
      scheduler: { configuration: { profiles } },
    });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const own = slice([gpu('a0')]);
    await client.resource(refs.resourceSlices).create({ ...own, spec: { ...own.spec, nodeName: 'coracle-node-1' } });
    const pods = client.resource(refs.pods, 'default');
    const create = async (schedulerName: string) => {
      await client.resource(refs.resourceClaims, 'default').create({
        metadata: { name: schedulerName },
        spec: { devices: { requests: [exactly('r')] } },
      });
      await pods.create({
        metadata: { name: schedulerName },
        spec: {
          schedulerName,
          containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimName: schedulerName }],
        },
      } as Pod);
    };
    await Promise.all(profiles.map(({ schedulerName }) => create(schedulerName)));
    await cluster.clock.advance('5s');
    const { items } = await pods.list();
    expect(items.filter(({ spec }) => spec?.nodeName)).toHaveLength(1);
  });
});
