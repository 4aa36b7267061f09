import { refs, type Service } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, describe, expect, test } from 'vitest';
import { freeAddress, parseAddressPool, poolContains } from './address-pool.js';
import { planLoadBalancer } from './plan-load-balancer.js';

describe('a pool of addresses', () => {
  test.each([
    [['192.0.2.0/30'], 4, [], '192.0.2.1'],
    [['192.0.2.0/30'], 4, ['192.0.2.1'], '192.0.2.2'],
    [['192.0.2.0/30'], 4, ['192.0.2.1', '192.0.2.2'], undefined],
    [['192.0.2.9-192.0.2.10'], 4, ['192.0.2.9'], '192.0.2.10'],
    [['192.0.2.7/32', '2001:db8::/126'], 6, [], '2001:db8::1'],
    [['192.0.2.7/32'], 6, [], undefined],
  ] as const)('%j, IPv%i without %j: %s', (texts, family, taken, address) => {
    expect(freeAddress(parseAddressPool(texts), family, new Set(taken))).toBe(address);
  });

  test.each(['192.0.2.0', '192.0.2.9-192.0.2.1', '192.0.2.1-2001:db8::1', 'x/8'])('%s is not a pool', (text) => {
    expect(() => parseAddressPool([text])).toThrow('is neither a network nor a range');
  });

  test('contains what lies between its ends', () => {
    const pool = parseAddressPool(['192.0.2.8/29']);
    expect(['192.0.2.8', '192.0.2.9', '192.0.2.14', '192.0.2.15'].map((ip) => poolContains(pool, ip))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

function service(spec: object, more: object = {}): Service {
  return { metadata: { name: 'web' }, spec: { type: 'LoadBalancer', ...spec }, ...more };
}

test.each([
  ['another class', service({ loadBalancerClass: 'x' }), { kind: 'nothing' }],
  ['no load balancer', service({ type: 'ClusterIP' }), { kind: 'nothing' }],
  ['a free address', service({}), { kind: 'ensure', addresses: ['192.0.2.2'] }],
  ['the one it requests', service({ loadBalancerIP: '192.0.2.5' }), { kind: 'ensure', addresses: ['192.0.2.5'] }],
  [
    'the one it has',
    service({}, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.4' }] } } }),
    { kind: 'ensure', addresses: ['192.0.2.4'] },
  ],
  [
    'one of others',
    service({ loadBalancerIP: '192.0.2.1' }),
    { kind: 'fail', message: '192.0.2.1 is used by another service' },
  ],
  [
    'one of elsewhere',
    service({ loadBalancerIP: '198.51.100.1' }),
    { kind: 'fail', message: '198.51.100.1 is not in the pool of addresses' },
  ],
])('%s', (_, service, plan) => {
  const pool = parseAddressPool(['192.0.2.0/29']);
  expect(planLoadBalancer({ service, pool, taken: new Set(['192.0.2.1']) })).toEqual(plan);
});

describe('in a cluster', () => {
  let cluster: Cluster;
  afterEach(() => cluster.stop());

  test('services get addresses, wait while none is free, and release theirs', async () => {
    cluster = await startCluster({
      listen: false,
      clock: 'virtual',
      nodes: 0,
      loadBalancer: { pool: ['192.0.2.1/32'] },
    });
    const services = cluster.client.resource(refs.services, 'default');
    const create = (name: string) =>
      services.create({ metadata: { name }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    const addressOf = async (name: string) => (await services.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
    await create('a');
    await cluster.clock.advance('1s');
    await create('b');
    await cluster.clock.advance('1s');
    expect([await addressOf('a'), await addressOf('b')]).toEqual(['192.0.2.1', undefined]);
    expect((await services.get('a')).metadata.finalizers).toEqual(['service.kubernetes.io/load-balancer-cleanup']);
    await services.delete('a');
    await cluster.clock.advance('10s');
    expect(await addressOf('b')).toBe('192.0.2.1');
    const { items } = await cluster.client.resource(refs.events, 'default').list();
    const ownEvents = items.filter(({ source }) => source?.component === 'service-controller');
    expect(new Set(ownEvents.map(({ reason }) => reason))).toEqual(
      new Set([
        'EnsuringLoadBalancer',
        'EnsuredLoadBalancer',
        'SyncLoadBalancerFailed',
        'DeletingLoadBalancer',
        'DeletedLoadBalancer',
      ]),
    );
  });
});
