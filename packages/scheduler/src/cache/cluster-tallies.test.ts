import { randomInt, seededRandom, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { makeNode, makePod } from '../builders.fixture.js';
import { ClusterTallies, type TallySpec } from './cluster-tallies.js';
import { SchedulerCache } from './scheduler-cache.js';

const zone = 'zone';

const specs: readonly TallySpec[] = [
  { name: 'all', topologyKey: zone, countsNode: () => true, countsPod: () => true },
  { name: 'blue', topologyKey: zone, countsNode: () => true, countsPod: ({ labels }) => labels['color'] === 'blue' },
  {
    name: 'staying, on nodes without taints',
    topologyKey: zone,
    countsNode: ({ node }) => !node.spec?.taints?.length,
    countsPod: ({ isTerminating }) => !isTerminating,
  },
];

const term = (color: string) => ({ topologyKey: zone, labelSelector: { matchLabels: { color } } });
const affinities = [
  {},
  { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('blue')] } },
  { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: term('red') }] } },
  {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('red')] },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: term('red') }],
    },
  },
];

function counted(tallies: ClusterTallies) {
  const groups = (['requiredAffinity', 'requiredAntiAffinity', 'preferred'] as const).map((kind) =>
    [...tallies.affinity.of(kind)].map(({ term, domains }) => [term.name, [...domains].sort()]).sort(),
  );
  const sums = specs.map((spec) => {
    const { domains, total } = tallies.tally(spec);
    return { name: spec.name, domains: [...domains].sort(), total };
  });
  return { sums, groups, claims: ['a', 'b', 'c'].map((name) => tallies.isClaimUsed('default', name)) };
}

test('updated counts equal fresh ones, after any changes of nodes and pods', () => {
  const random = seededRandom(7);
  const pick = <T>(list: readonly T[]): T => list[randomInt(random, list.length)] as T;
  const cache = new SchedulerCache({ clock: new VirtualClock(), assumedTtlMs: 0 });
  const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const aNode = () =>
    makeNode(pick(nodes), {
      labels: pick([{}, { zone: 'x' }, { zone: 'y' }, { zone: 'z' }]),
      taints: pick([[], [{ key: 'full', effect: 'NoSchedule' }]]),
    });
  const aPod = () =>
    makePod(`p${randomInt(random, 30)}`, {
      labels: pick([{}, { color: 'blue' }, { color: 'red' }]),
      terminating: pick([true, false]),
      spec: {
        nodeName: pick(nodes),
        affinity: pick(affinities),
        volumes: pick([[], [{ name: 'v', persistentVolumeClaim: { claimName: pick(['a', 'b', 'c']) } }]]),
      },
    });
  for (const spec of specs) cache.tallies.tally(spec);
  for (let step = 0; step < 1_000; step++) {
    const what = randomInt(random, 10);
    if (what < 2) cache.setNode(aNode());
    else if (what === 2) cache.removeNode(pick(nodes));
    else if (what < 5) cache.removePod(`p${randomInt(random, 30)}`);
    else cache.setPod(aPod());
    expect(counted(cache.tallies)).toEqual(counted(ClusterTallies.of(cache.nodes())));
  }
});

test('counts that were not used lately are computed again on their next use', () => {
  const cache = new SchedulerCache({ clock: new VirtualClock(), assumedTtlMs: 0 });
  cache.setNode(makeNode('n', { labels: { zone: 'x' } }));
  const spec = (name: string): TallySpec => ({ ...(specs[0] as TallySpec), name });
  const first = cache.tallies.tally(spec('0'));
  for (let i = 1; i < 1_000; i++) cache.tallies.tally(spec(String(i)));
  cache.setPod(makePod('p', { spec: { nodeName: 'n' } }));
  expect([first.total, cache.tallies.tally(spec('0')).total]).toEqual([0, 1]);
});
