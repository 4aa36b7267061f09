import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { NodeMetrics } from './node-metrics.js';
import { ZoneQueue } from './zone-queue.js';
import { defaultRates, evictionRate, planDisruption, type ZoneState, zoneOf, zoneState } from './zones.js';

const nodes = (ready: number, not: number) => [...Array(ready).fill('True'), ...Array(not).fill('Unknown')];

describe('NL-26 the state of a zone', () => {
  test.each<[number, number, ZoneState]>([
    [3, 0, 'normal'],
    [0, 1, 'full-disruption'],
    [1, 2, 'normal'],
    [2, 3, 'partial-disruption'],
    [6, 3, 'normal'],
  ])('%i ready and %i not: %s', (ready, not, state) => {
    expect(zoneState(nodes(ready, not), defaultRates)).toBe(state);
  });
});

test('NL-27e a disrupted zone loses pods slowly if it is large, and not at all if it is small', () => {
  expect(evictionRate('normal', 3, defaultRates)).toBe(0.1);
  expect(evictionRate('partial-disruption', 51, defaultRates)).toBe(0.01);
  expect(evictionRate('partial-disruption', 50, defaultRates)).toBe(0);
  expect(evictionRate('full-disruption', 3, defaultRates)).toBe(0.1);
});

describe('NL-27 the whole cluster', () => {
  const states = (...list: ZoneState[]) => new Map(list.map((state, i) => [`z${i}`, state]));
  test.each([
    ['halt', states('normal', 'full-disruption'), states('full-disruption', 'full-disruption')],
    ['resume', states('full-disruption'), states('normal')],
    ['stay-halted', states('full-disruption'), states('full-disruption')],
    ['adjust', states('normal', 'normal'), states('full-disruption', 'normal')],
  ])('%s', (kind, before, now) => {
    expect(planDisruption(before, now).kind).toBe(kind);
  });
});

test('NL-28 the first node of a zone is tainted at once, and each further one ten seconds later', async () => {
  const clock = new VirtualClock();
  const tainted: string[] = [];
  const queue = new ZoneQueue(clock, 0.1, (name) => void tainted.push(name));
  for (const name of ['a', 'b', 'c']) queue.add(name);
  expect(tainted).toEqual(['a']);
  await clock.advance(10_000);
  expect(tainted).toEqual(['a', 'b']);
  queue.setRate(0);
  await clock.advance(60_000);
  expect(tainted).toEqual(['a', 'b']);
  expect(queue.remove('c')).toBe(true);
});

test.each([
  ['no labels', {}, ''],
  ['labels of today', { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'a' }, 'r:\0:a'],
  ['a zone alone', { 'topology.kubernetes.io/zone': 'a' }, ':\0:a'],
  [
    'labels of old, which count more',
    { 'failure-domain.beta.kubernetes.io/zone': 'old', 'topology.kubernetes.io/zone': 'new' },
    ':\0:old',
  ],
])('the zone of a node with %s', (_what, labels, zone) => {
  expect(zoneOf({ metadata: { name: 'n', labels } })).toBe(zone);
});

test('zones are measured under the names of kube-controller-manager', async () => {
  const metrics = new PrometheusMetrics();
  const clock = new VirtualClock();
  const measured = new NodeMetrics({ clock, metrics });
  measured.zone('z', ['True', 'Unknown', 'False', 'True']);
  measured.zone('gone', []);
  measured.evicted('z');
  await measured.checkingAll(() => measured.checkingNode(async () => {}));
  const lines = metrics.render().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'node_collector_zone_health{zone="z"} 50',
      'node_collector_zone_size{zone="z"} 4',
      'node_collector_unhealthy_nodes_in_zone{zone="z"} 2',
      'node_collector_zone_health{zone="gone"} 100',
      'node_collector_evictions_total{zone="z"} 1',
      'node_collector_update_node_health_duration_seconds_count 1',
      'node_collector_update_all_nodes_health_duration_seconds_count 1',
    ]),
  );
});
