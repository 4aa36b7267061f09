import type { discoveryv1, EndpointSlice, Node, Service } from '@coracle/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TopologyCache } from './topology-cache.js';
import { planHints } from './topology-hints.js';
import { isOverloaded, wantsTopologyHints, zoneShares } from './zone-shares.js';

function node(zone: string | undefined, cpu: string | undefined, more: { ready?: boolean; role?: string } = {}): Node {
  const { ready = true, role } = more;
  return {
    metadata: {
      name: 'n',
      labels: {
        ...(zone && { 'topology.kubernetes.io/zone': zone }),
        ...(role && { [`node-role.kubernetes.io/${role}`]: '' }),
      },
    },
    status: {
      ...(cpu && { allocatable: { cpu } }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

describe('the shares of zones', () => {
  test.each<[string, Node[], [string, number][] | undefined]>([
    [
      'go by their processors',
      [node('a', '3'), node('b', '1')],
      [
        ['a', 0.75],
        ['b', 0.25],
      ],
    ],
    [
      'add up over nodes',
      [node('a', '500m'), node('b', '1'), node('a', '500m')],
      [
        ['a', 0.5],
        ['b', 0.5],
      ],
    ],
    [
      'leave out nodes that are not ready or are not for pods',
      [node('a', '1'), node('b', '1'), node('c', '9', { ready: false }), node('d', '9', { role: 'control-plane' })],
      [
        ['a', 0.5],
        ['b', 0.5],
      ],
    ],
    ['are not known if a node has no zone', [node('a', '1'), node('b', '1'), node(undefined, '1')], undefined],
    ['are not known if a node does not tell its processors', [node('a', '1'), node('b', undefined)], undefined],
    ['do not matter in a single zone', [node('a', '1'), node('a', '1')], undefined],
  ])('%s', (_name, nodes, shares) => {
    expect(zoneShares(nodes) && [...(zoneShares(nodes) ?? [])]).toEqual(shares);
  });
});

test.each<[string, [string, number][], boolean]>([
  [
    'has its share',
    [
      ['a', 1],
      ['b', 3],
    ],
    false,
  ],
  [
    'has somewhat less, within what endpoints may bear',
    [
      ['a', 5],
      ['b', 19],
    ],
    false,
  ],
  [
    'has too few',
    [
      ['a', 1],
      ['b', 9],
    ],
    true,
  ],
  ['has none', [['b', 4]], true],
  ['is not asked about, as there are no endpoints', [], false],
])('a zone that %s', (_name, endpoints, overloaded) => {
  const shares = new Map([
    ['a', 0.25],
    ['b', 0.75],
  ]);
  expect(isOverloaded(new Map(endpoints), shares)).toBe(overloaded);
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ 'service.kubernetes.io/topology-mode': 'Auto' }, true],
  [{ 'service.kubernetes.io/topology-mode': 'auto' }, true],
  [{ 'service.kubernetes.io/topology-mode': 'Disabled' }, false],
  [{ 'service.kubernetes.io/topology-mode': 'Auto', 'service.kubernetes.io/topology-aware-hints': 'disabled' }, false],
])('annotations %j: %s', (annotations, expected) => {
  const service: Service = { metadata: { name: 's', annotations } };
  expect(wantsTopologyHints(service)).toBe(expected);
});

let count = 0;
function endpoint(zone: string | undefined, hint?: string): discoveryv1.Endpoint {
  return {
    addresses: [`10.0.0.${++count}`],
    conditions: { ready: true },
    ...(zone && { zone }),
    ...(hint && { hints: { forZones: [{ name: hint }] } }),
  };
}

function slice(...endpoints: discoveryv1.Endpoint[]): EndpointSlice {
  return { metadata: { name: `s${++count}` }, addressType: 'IPv4', endpoints };
}

const nothing = { create: [], update: [], delete: [], added: 0, removed: 0, updated: 0 };
const creating = (...endpoints: discoveryv1.Endpoint[]) => ({ ...nothing, create: [{ ports: [], endpoints }] });
const even = new Map([
  ['a', 0.5],
  ['b', 0.5],
]);
const hintsOf = (endpoints: readonly discoveryv1.Endpoint[] | undefined) =>
  (endpoints ?? []).map(({ hints }) => hints?.forZones?.[0]?.name ?? '-').join('');

describe('hints for zones', () => {
  test('keep traffic in its zone where that is fair', () => {
    const plan = creating(endpoint('a'), endpoint('b'), endpoint('a'), endpoint('b'));
    const { plan: hinted, zones } = planHints({ plan, unchanged: [], shares: even });
    expect([hintsOf(hinted.create[0]?.endpoints), [...zones]]).toEqual([
      'abab',
      [
        ['a', 2],
        ['b', 2],
      ],
    ]);
  });

  test('lend endpoints to a zone that has too few', () => {
    const plan = creating(...'aaaaab'.split('').map((zone) => endpoint(zone)));
    const { plan: hinted, zones } = planHints({ plan, unchanged: [], shares: even });
    expect([hintsOf(hinted.create[0]?.endpoints), [...zones]]).toEqual([
      'bbaaab',
      [
        ['a', 3],
        ['b', 3],
      ],
    ]);
  });

  test('are for endpoints that are ready', () => {
    const going = { ...endpoint('a', 'a'), conditions: { ready: false } };
    const { plan } = planHints({
      plan: creating(going, endpoint('a'), endpoint('b')),
      unchanged: [],
      shares: even,
    });
    expect(hintsOf(plan.create[0]?.endpoints)).toBe('-ab');
  });

  test('stay in slices that are not written, and count there', () => {
    const unchanged = [slice(endpoint('a', 'a'), endpoint('a', 'a'))];
    const { plan, zones } = planHints({ plan: creating(endpoint('a'), endpoint('b')), unchanged, shares: even });
    expect([plan.update, hintsOf(plan.create[0]?.endpoints), [...zones]]).toEqual([
      [],
      'bb',
      [
        ['a', 2],
        ['b', 2],
      ],
    ]);
  });

  test.each([
    ['without a hint', slice(endpoint('a'), endpoint('b')), 'ab'],
    ['for a zone that is no more', slice(endpoint('a', 'c'), endpoint('b', 'b')), 'ab'],
    ['that would leave too little for another zone', slice(endpoint('a', 'b'), endpoint('b', 'b')), 'ab'],
  ])('are corrected in a slice with an endpoint %s', (_name, unchanged, hints) => {
    const { plan } = planHints({ plan: nothing, unchanged: [unchanged], shares: even });
    expect(plan.update.map(({ endpoints }) => hintsOf(endpoints))).toEqual([hints]);
  });

  test.each<[string, Parameters<typeof planHints>[0]]>([
    [
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
      { plan: creating(endpoint('a')), unchanged: [], shares: undefined },
    ],
    [
      'Insufficient number of endpoints (1 endpoints, 2 zones)',
      { plan: creating(endpoint('a')), unchanged: [], shares: even },
    ],
    [
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)',
      { plan: creating(endpoint('a'), endpoint('b'), endpoint('a')), unchanged: [], shares: even },
    ],
    [
      'One or more endpoints do not have a zone specified',
      { plan: creating(endpoint('a'), endpoint(undefined)), unchanged: [], shares: even },
    ],
  ])('there are none, and existing ones are removed: %s', (problem, view) => {
    const hinted = planHints({ ...view, unchanged: [slice({ ...endpoint('a', 'a'), conditions: { ready: false } })] });
    expect(hinted.problem).toBe(problem);
    expect(hintsOf(hinted.plan.create[0]?.endpoints)).toMatch(/^-+$/);
    expect(hinted.plan.update.map(({ endpoints }) => hintsOf(endpoints))).toEqual(['-']);
  });

  test('for any zones, each ready endpoint gets a hint for one of them, and all are counted', () => {
    const zoned = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 3, maxLength: 60 });
    const cpus = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(zoned, cpus, (placed, [a, b, c]) => {
        const shares = zoneShares([node('a', `${a}`), node('b', `${b}`), node('c', `${c}`)]);
        const hinted = planHints({ plan: creating(...placed.map((zone) => endpoint(zone))), unchanged: [], shares });
        const hints = hintsOf(hinted.plan.create[0]?.endpoints);
        expect(hints).toHaveLength(placed.length);
        if (hinted.problem !== undefined) return;
        const counted = ['a', 'b', 'c'].map((zone) => [zone, hints.split(zone).length - 1]);
        expect(counted).toEqual(['a', 'b', 'c'].map((zone) => [zone, hinted.zones.get(zone) ?? 0]));
      }),
    );
  });
});

describe('the cache of hints', () => {
  const family = { service: 'n/s', addressType: 'IPv4' };

  test('reports once that there are hints, and when they are removed', () => {
    const cache = new TopologyCache(() => [node('a', '1'), node('b', '1')]);
    const plan = creating(endpoint('a'), endpoint('b'));
    const news = () => cache.assign(family, { plan, unchanged: [] }).news.map(({ message }) => message);
    expect(news()).toEqual(['Topology Aware Hints has been enabled, addressType: IPv4']);
    expect(news()).toEqual([]);
    expect(cache.withdraw(family).map(({ message }) => message)).toEqual([
      'Topology Aware Hints has been disabled, addressType: IPv4',
    ]);
    expect(cache.withdraw(family)).toEqual([]);
  });

  test('names the services that other nodes leave with too few endpoints', () => {
    let nodes = [node('a', '1'), node('b', '1')];
    const cache = new TopologyCache(() => nodes);
    cache.assign(family, { plan: creating(endpoint('a'), endpoint('b')), unchanged: [] });
    expect(cache.nodesChanged()).toEqual([]);
    nodes = [...nodes, node('c', '1')];
    expect(cache.nodesChanged()).toEqual(['n/s']);
    cache.forget('n/s');
    expect(cache.nodesChanged()).toEqual([]);
  });
});
