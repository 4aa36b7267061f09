import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

const [one, two] = ['coracle-node-1', 'coracle-node-2'];
const driver = 'gpu.example.com';

let cluster: Cluster;
/** One node has three devices, of which one is taken and one has a taint; the other has none. */
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, whyApi: true });
  await cluster.settled();
  const { client } = cluster;
  const expression = `device.driver == '${driver}'`;
  await client
    .resource(refs.deviceClasses)
    .create({ metadata: { name: 'gpu' }, spec: { selectors: [{ cel: { expression } }] } });
  const taints = [{ key: 'broken', effect: 'NoSchedule' }];
  const devices: resourcev1.Device[] = [
    { name: 'a', attributes: { model: { string: 'a100' } } },
    { name: 'b', attributes: { model: { string: 'a100' } } },
    { name: 'c', attributes: { model: { string: 'l4' } }, taints },
  ];
  await client.resource(refs.resourceSlices).create({
    metadata: { name: 's' },
    spec: { driver, nodeName: one, pool: { name: one, generation: 1, resourceSliceCount: 1 }, devices },
  });
  await claim('held', {});
  await pod('holder', 'held');
}, 60_000);
afterAll(() => cluster.stop());

async function claim(name: string, request: Partial<resourcev1.ExactDeviceRequest>): Promise<void> {
  const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu', ...request } }];
  await cluster.client
    .resource(refs.resourceClaims, 'default')
    .create({ metadata: { name }, spec: { devices: { requests } } });
}

async function pod(name: string, resourceClaimName: string, spec: object = {}): Promise<void> {
  const containers = [{ name: 'app', image: 'app', resources: { claims: [{ name: 'gpu' }] } }];
  const resourceClaims = [{ name: 'gpu', resourceClaimName }];
  await cluster.client
    .pods('default')
    .create({ metadata: { name }, spec: { containers, resourceClaims, ...spec } } as Pod);
  await cluster.clock.advance('5s');
}

async function suggestionsFor(name: string): Promise<string[]> {
  const path = `/apis/scheduling.coracle.dev/v1alpha1/namespaces/default/pods/${name}/why`;
  const { body } = await cluster.client.raw('GET', path);
  const { suggestions } = body as { suggestions: { node: string; changes: string[] }[] };
  return suggestions.map(({ node, changes }) => `${node}: ${changes.join('; ')}`);
}

const without = (name: string) =>
  `request other devices than those of the resource claim gpu (${name}): without it the pod would run`;
const end = 'end the pod default/holder, which uses the resource claim default/held';

test.each<[string, Partial<resourcev1.ExactDeviceRequest>, string[]]>([
  [
    'many',
    { count: 2 },
    [
      `${one}: request 1 instead of 2 devices in the request r of the resource claim many`,
      `${one}: tolerate the taints of devices in the request r of the resource claim many`,
      `${one}: ${end}`,
      `${one}: ${without('many')}`,
    ],
  ],
  [
    'chosen',
    { selectors: [{ cel: { expression: `device.attributes['${driver}'].model == 'h100'` } }] },
    [
      `${one}: select other devices in the request r of the resource claim chosen: there are free ones of its class`,
      `${one}: ${without('chosen')}`,
    ],
  ],
  [
    'unknown',
    { deviceClassName: 'none' },
    [
      `${one}: create the device class none, which the resource claim unknown requests`,
      `${one}: ${without('unknown')}`,
    ],
  ],
])('%s devices', async (name, request, expected) => {
  await claim(name, request);
  await pod(name, name);
  expect(await suggestionsFor(name)).toEqual(expected);
});

test('devices that are on another node', async () => {
  await pod('far', 'held', { nodeSelector: { 'kubernetes.io/hostname': two } });
  // The other node has no devices at all: taking the claim back would not help there.
  expect(await suggestionsFor('far')).toContain(`${two}: ${without('held')}`);
});

test('a trial does not change the allocations of claims', async () => {
  const claims = cluster.client.resource(refs.resourceClaims, 'default');
  await claim('late', {});
  await pod('late', 'late');
  const devicesOf = async (name: string) =>
    (await claims.get(name)).status?.allocation?.devices?.results?.map(({ device }) => device);
  expect([await devicesOf('held'), await devicesOf('late')]).toEqual([['a'], ['b']]);
});
