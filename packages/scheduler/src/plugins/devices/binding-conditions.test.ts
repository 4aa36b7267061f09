import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isStuck, readinessOf } from './binding-conditions.js';

const driver = 'fabric.example.com';
const attached = { bindingConditions: ['Attached'], bindingFailureConditions: ['AttachFailed'] };
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'Because',
  message: 'so "it" is',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('devices with binding conditions', () => {
  const result = (device: string, more: object = attached) => ({ request: 'r', driver, pool: 'p', device, ...more });
  const status = (device: string, ...conditions: object[]) => ({ driver, pool: 'p', device, conditions });
  const claimWith = (results: object[], devices: object[] = []) =>
    ({
      metadata: { name: 'c' },
      spec: {},
      status: { allocation: { allocationTimestamp: '1970-01-01T00:00:10Z', devices: { results } }, devices },
    }) as resourcev1.ResourceClaim;
  const failure = 'claim c binding failed: reason=Because, message="so \\"it\\" is"';

  test.each<[string, resourcev1.ResourceClaim, ReturnType<typeof readinessOf>, boolean]>([
    ['without conditions', claimWith([result('a', {})]), { kind: 'ready' }, false],
    ['without a status', claimWith([result('a')]), { kind: 'pending' }, true],
    ['that are ready', claimWith([result('a')], [status('a', condition('Attached'))]), { kind: 'ready' }, false],
    [
      'whose condition is False',
      claimWith([result('a')], [status('a', condition('Attached', 'False'), condition('AttachFailed', 'False'))]),
      { kind: 'pending' },
      true,
    ],
    ['of another device', claimWith([result('a')], [status('b', condition('Attached'))]), { kind: 'pending' }, true],
    [
      'of which one is ready',
      claimWith([result('a'), result('b')], [status('a', condition('Attached'))]),
      { kind: 'pending' },
      true,
    ],
    [
      'that have failed',
      claimWith([result('a'), result('b')], [status('b', condition('Attached'), condition('AttachFailed'))]),
      { kind: 'failed', message: failure },
      true,
    ],
  ])('%s', (_, claim, expected, isStuckLater) => {
    expect(readinessOf(claim)).toEqual(expected);
    expect(isStuck(claim, 20_000, 10_000)).toBe(expected.kind === 'failed');
    expect(isStuck(claim, 20_001, 10_000)).toBe(isStuckLater);
  });
});

describe('in a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
    const { client } = cluster;
    await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
    const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu' } }];
    await client
      .resource(refs.resourceClaims, 'default')
      .create({ metadata: { name: 'c' }, spec: { devices: { requests } } });
  });
  afterEach(() => cluster.stop());

  const pod = (name = 'p') => cluster.client.pods('default').get(name);
  const scheduled = async (name: string) =>
    (await pod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const claims = () => cluster.client.resource(refs.resourceClaims, 'default');
  const deviceOf = ({ status }: resourcev1.ResourceClaim) => status?.allocation?.devices?.results?.[0]?.device;

  async function addDevices(pool: string, devices: resourcev1.Device[]): Promise<void> {
    const generation = { name: pool, generation: 1, resourceSliceCount: 1 };
    await cluster.client
      .resource(refs.resourceSlices)
      .create({ metadata: { name: pool }, spec: { driver, allNodes: true, pool: generation, devices } });
  }

  async function createPod(name = 'p'): Promise<void> {
    await cluster.client.pods('default').create({
      metadata: { name },
      spec: {
        containers: [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }],
      },
    } as Pod);
    await cluster.clock.advance('30s');
  }

  /** The driver's status for the claim's device. */
  async function report(...types: string[]): Promise<void> {
    const claim = await claims().get('c');
    const [result] = claim.status?.allocation?.devices?.results ?? [];
    const devices = [
      {
        driver,
        pool: result?.pool ?? '',
        device: result?.device ?? '',
        conditions: types.map((one) => condition(one)),
      },
    ];
    await claims().updateStatus({ ...claim, status: { ...claim.status, devices } });
  }

  test('a pod is bound once its devices are ready, to the node that they are attached to', async () => {
    await addDevices('p', [{ name: 'a', bindsToNode: true, ...attached }]);
    await createPod();
    expect((await pod()).spec?.nodeName).toBeUndefined();
    const { status } = await claims().get('c');
    const terms = status?.allocation?.nodeSelector?.nodeSelectorTerms;
    expect(terms).toEqual([
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: [expect.stringMatching(/^coracle-node-/)] }] },
    ]);
    expect(status).toMatchObject({
      allocation: { allocationTimestamp: expect.any(String), devices: { results: [attached] } },
      reservedFor: [{ resource: 'pods', name: 'p' }],
    });
    const { items } = await cluster.client.resource(refs.eventsV1, 'default').list();
    expect(items.find(({ reason }) => reason === 'BindingConditionsPending')?.note).toMatch(
      /^waiting for binding conditions for device on node coracle-node-/,
    );
    await report('Attached');
    await cluster.settled();
    expect([(await pod()).spec?.nodeName]).toEqual(terms?.[0]?.matchFields?.[0]?.values);
  });

  test('when a device fails, its claim gets another one', async () => {
    await addDevices('p', [
      { name: 'a', ...attached },
      { name: 'b', ...attached },
    ]);
    await createPod();
    const first = deviceOf(await claims().get('c'));
    await addDevices('quick', [{ name: 'q' }]);
    await report('AttachFailed');
    await cluster.settled();
    expect(await scheduled('p')).toMatchObject({
      status: 'False',
      reason: 'SchedulerError',
      message: `running PreBind plugin "DynamicResources": claim c binding failed: reason=Because, message="so \\"it\\" is"`,
    });
    const { status } = await claims().get('c');
    expect(status?.allocation).toBeDefined();
    expect(status?.reservedFor ?? []).toEqual([]);
    await cluster.clock.advance('1m');
    const claim = await claims().get('c');
    expect(first).toBe('a');
    // Devices without binding conditions come first.
    expect(deviceOf(claim)).toBe('q');
    expect(claim.status?.devices).toBeUndefined();
    expect((await pod()).spec?.nodeName).toBeDefined();
  });

  test('devices that do not become ready in ten minutes are deallocated', async () => {
    await addDevices('p', [{ name: 'a', ...attached }]);
    await createPod();
    await addDevices('quick', [{ name: 'q' }]);
    await cluster.clock.advance('569s');
    expect((await pod()).spec?.nodeName).toBeUndefined();
    expect(deviceOf(await claims().get('c'))).toBe('a');
    await cluster.clock.advance('1m');
    expect(deviceOf(await claims().get('c'))).toBe('q');
    expect((await pod()).spec?.nodeName).toBeDefined();
  });

  test('a pod that waits for devices of another waiting pod waits as long as that one', async () => {
    await addDevices('p', [{ name: 'a', ...attached }]);
    await createPod();
    await cluster.clock.advance('500s');
    await createPod('second');
    await cluster.clock.advance('69s');
    expect((await claims().get('c')).status?.reservedFor).toHaveLength(2);
    await cluster.clock.advance('2s');
    expect((await scheduled('second'))?.message).toContain('claim c binding timeout');
  });

  test('a pod that waits without its claim being allocated any more is tried again', async () => {
    await addDevices('p', [{ name: 'a', ...attached }]);
    await createPod();
    const claim = await claims().get('c');
    await addDevices('quick', [{ name: 'q' }]);
    await claims().updateStatus({ ...claim, status: {} });
    await cluster.clock.advance('30s');
    expect(deviceOf(await claims().get('c'))).toBe('q');
    expect((await pod()).spec?.nodeName).toBeDefined();
  });
});
