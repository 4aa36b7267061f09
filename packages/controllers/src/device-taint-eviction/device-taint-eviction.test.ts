import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, describe, expect, test } from 'vitest';

let cluster: Cluster;
afterEach(() => cluster.stop());

const gpuSlice = {
  metadata: { name: 's' },
  spec: {
    driver: 'gpu.example.com',
    nodeName: 'coracle-node-1',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'a' }],
  },
} satisfies resourcev1.ResourceSlice;

/** A cluster with one device, a claim for it and a pod that uses it. */
async function start(runtimeConfig: Record<string, boolean> = {}, tolerationSeconds = 60): Promise<Cluster> {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, runtimeConfig });
  const { client } = cluster;
  await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
  await client.resource(refs.resourceSlices).create(gpuSlice);
  await createPod('p', tolerationSeconds);
  await cluster.clock.advance('5s');
  return cluster;
}

async function createPod(name: string, tolerationSeconds: number): Promise<void> {
  const tolerations = [{ key: 'broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
  await cluster.client.resource(refs.resourceClaims, 'default').create({
    metadata: { name },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', tolerations } }] } },
  });
  await cluster.client.resource(refs.pods, 'default').create({
    metadata: { name },
    spec: {
      containers: [{ name: 'app', image: 'app' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
      terminationGracePeriodSeconds: 0,
    },
  } as Pod);
}

test('a pod is evicted when its device gets a taint, after the toleration of its claim', async () => {
  const { client, clock } = await start();
  const pods = client.resource(refs.pods, 'default');
  const slices = client.resource(refs.resourceSlices);
  expect((await pods.get('p')).status?.phase).toBe('Running');
  const slice = await slices.get('s');
  const devices = [{ name: 'a', taints: [{ key: 'broken', effect: 'NoExecute' }] }];
  await slices.update({ ...slice, spec: { ...slice.spec, devices } });
  await clock.advance('50s');
  expect((await pods.get('p')).metadata.deletionTimestamp).toBeUndefined();
  await clock.advance('20s');
  await expect(pods.get('p')).rejects.toSatisfy(isNotFound);
});

describe.each([
  ['v1beta2', refs.deviceTaintRulesV1beta2],
  ['v1alpha3', refs.deviceTaintRules],
])('DeviceTaintRule %s', (version, ref) => {
  const served = { [`resource.k8s.io/${version}`]: true };
  const rule = (effect: string, key = 'broken') => ({
    metadata: { name: 'rule' },
    spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { key, effect } },
  });
  const condition = async () =>
    (await cluster.client.resource(ref).get('rule')).status?.conditions?.map(
      ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
    );

  test('evicts the pods of the devices that it selects, and reports the progress', async () => {
    const { client, clock } = await start(served);
    const pods = client.resource(refs.pods, 'default');
    await client.resource(ref).create(rule('NoExecute'));
    await clock.advance('50s');
    expect((await pods.get('p')).metadata.deletionTimestamp).toBeUndefined();
    expect(await condition()).toEqual([
      'EvictionInProgress=True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.',
    ]);
    await clock.advance('30s');
    await expect(pods.get('p')).rejects.toSatisfy(isNotFound);
    expect(await condition()).toEqual([
      'EvictionInProgress=False Completed: 1 pod evicted since starting the controller.',
    ]);
  });

  test('with effect None reports what it would do', async () => {
    const { client, clock } = await start(served);
    await client.resource(ref).create(rule('None'));
    await clock.advance('1m');
    expect((await client.resource(refs.pods, 'default').get('p')).status?.phase).toBe('Running');
    expect((await condition())?.[0]).toContain(
      'NoEffect: 1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if',
    );
  });

  test('keeps new pods off the devices until it is deleted', async () => {
    const { client, clock } = await start(served);
    const pods = client.resource(refs.pods, 'default');
    await pods.delete('p');
    await client.resource(refs.resourceClaims, 'default').delete('p');
    await client.resource(ref).create(rule('NoSchedule', 'reserved'));
    await clock.advance('1m');
    expect(await condition()).toEqual([
      'EvictionInProgress=False OtherEffect: Eviction only happens for the NoExecute effect.',
    ]);
    await createPod('next', 60);
    await clock.advance('1m');
    expect((await pods.get('next')).spec?.nodeName).toBeUndefined();
    await client.resource(ref).delete('rule');
    await clock.advance('1m');
    expect((await pods.get('next')).status?.phase).toBe('Running');
  });
});
