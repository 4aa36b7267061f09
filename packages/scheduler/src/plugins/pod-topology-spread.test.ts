import type { TopologySpreadConstraint } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { fittingNodes, makeNodeInfo, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { CycleState } from '../framework/cycle-state.js';
import { podTopologySpread } from './pod-topology-spread.js';

const labels = { app: 'web' };
const plugin = podTopologySpread(() => undefined);

/** How many pods `app=web` are on a node of a zone. */
function zoneNode(name: string, zone: string, count: number, parts: NodeParts = {}): NodeInfo {
  const pods = Array.from({ length: count }, (_, i) => makePodInfo(`${name}-${i}`, { labels }));
  return makeNodeInfo(name, { ...parts, labels: { zone, ...parts.labels }, pods: [...pods, ...(parts.pods ?? [])] });
}

function constraint(parts: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  const defaults = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: labels },
  };
  return { ...defaults, ...parts };
}

function spread(constraints: TopologySpreadConstraint[], parts: PodParts = {}): PodInfo {
  return makePodInfo('p', { labels, ...parts, spec: { ...parts.spec, topologySpreadConstraints: constraints } });
}

describe('PodTopologySpread filter', () => {
  const cases: { name: string; nodes: NodeInfo[]; pod: PodInfo; fits: string }[] = [
    {
      name: 'a pod without constraints is not looked at',
      nodes: [zoneNode('a', '1', 0)],
      pod: makePodInfo('p'),
      fits: 'skip',
    },
    {
      name: 'soft constraints rule nothing out',
      nodes: [zoneNode('a', '1', 9)],
      pod: spread([constraint({ whenUnsatisfiable: 'ScheduleAnyway' })]),
      fits: 'skip',
    },
    {
      name: 'the fuller zone is left out',
      nodes: [zoneNode('a', '1', 2), zoneNode('b', '1', 0), zoneNode('c', '2', 1)],
      pod: spread([constraint()]),
      fits: 'c',
    },
    {
      name: 'a name that every object inherits is the label of no node',
      nodes: [zoneNode('a', '1', 0), zoneNode('b', '1', 0, { labels: { constructor: 'x' } })],
      pod: spread([constraint({ topologyKey: 'constructor' })]),
      fits: 'b',
    },
    {
      name: 'maxSkew is how much fuller it may be',
      nodes: [zoneNode('a', '1', 2), zoneNode('c', '2', 1)],
      pod: spread([constraint({ maxSkew: 2 })]),
      fits: 'a,c',
    },
    {
      name: 'a pod that does not match itself does not add to the skew',
      nodes: [zoneNode('a', '1', 2), zoneNode('c', '2', 1)],
      pod: spread([constraint()], { labels: { app: 'db' } }),
      fits: 'a,c',
    },
    {
      name: 'all constraints must hold',
      nodes: [zoneNode('a', '1', 1), zoneNode('b', '1', 0), zoneNode('c', '2', 2)],
      pod: spread([constraint({ maxSkew: 2 }), constraint({ topologyKey: 'kubernetes.io/hostname' })]),
      fits: 'b',
    },
    {
      name: 'too few domains make the fewest zero (minDomains)',
      nodes: [zoneNode('a', '1', 1), zoneNode('c', '2', 1)],
      pod: spread([constraint({ minDomains: 3 })]),
      fits: '',
    },
    {
      name: 'enough domains do not',
      nodes: [zoneNode('a', '1', 1), zoneNode('c', '2', 1)],
      pod: spread([constraint({ minDomains: 2 })]),
      fits: 'a,c',
    },
    {
      name: 'pods being deleted do not count',
      nodes: [
        zoneNode('a', '1', 0, { pods: [makePodInfo('x', { labels, terminating: true })] }),
        zoneNode('c', '2', 0),
      ],
      pod: spread([constraint()]),
      fits: 'a,c',
    },
    {
      name: 'pods of another namespace do not count',
      nodes: [
        zoneNode('a', '1', 0, { pods: [makePodInfo('x', { labels, namespace: 'other' })] }),
        zoneNode('c', '2', 0),
      ],
      pod: spread([constraint()]),
      fits: 'a,c',
    },
    {
      name: 'only pods with the same value count for matchLabelKeys',
      nodes: [
        zoneNode('a', '1', 0, { pods: [makePodInfo('x', { labels: { ...labels, version: '1' } })] }),
        zoneNode('c', '2', 0),
      ],
      pod: spread([constraint({ matchLabelKeys: ['version'] })], { labels: { ...labels, version: '2' } }),
      fits: 'a,c',
    },
    {
      name: 'a key of matchLabelKeys that the pod lacks is left out',
      nodes: [
        zoneNode('a', '1', 0, { pods: [makePodInfo('x', { labels: { ...labels, version: '1' } })] }),
        zoneNode('c', '2', 0),
      ],
      pod: spread([constraint({ matchLabelKeys: ['version'] })]),
      fits: 'c',
    },
    {
      name: 'keys do not make a selector where there is none',
      nodes: [zoneNode('a', '1', 2), zoneNode('c', '2', 0)],
      pod: spread([{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['app'] }]),
      fits: 'a,c',
    },
    {
      name: 'an empty selector counts no pods',
      nodes: [zoneNode('a', '1', 2), zoneNode('c', '2', 0)],
      pod: spread([constraint({ labelSelector: {} })]),
      fits: 'a,c',
    },
    {
      name: 'domains that node affinity rules out do not count',
      nodes: [zoneNode('a', '1', 1, { labels: { disk: 'ssd' } }), zoneNode('c', '2', 0)],
      pod: spread([constraint()], { spec: { nodeSelector: { disk: 'ssd' } } }),
      fits: 'a,c',
    },
    {
      name: 'unless they are to be counted all the same (nodeAffinityPolicy: Ignore)',
      nodes: [zoneNode('a', '1', 1, { labels: { disk: 'ssd' } }), zoneNode('c', '2', 0)],
      pod: spread([constraint({ nodeAffinityPolicy: 'Ignore' })], { spec: { nodeSelector: { disk: 'ssd' } } }),
      fits: 'c',
    },
    {
      name: 'domains with taints count',
      nodes: [zoneNode('a', '1', 1), zoneNode('c', '2', 0, { taints: [{ key: 'k', effect: 'NoSchedule' }] })],
      pod: spread([constraint()]),
      fits: 'c',
    },
    {
      name: 'unless taints are to be honored (nodeTaintsPolicy: Honor)',
      nodes: [zoneNode('a', '1', 1), zoneNode('c', '2', 0, { taints: [{ key: 'k', effect: 'NoSchedule' }] })],
      pod: spread([constraint({ nodeTaintsPolicy: 'Honor' })]),
      fits: 'a,c',
    },
  ];

  test.each(cases)('$name', ({ nodes, pod, fits }) => {
    expect(fittingNodes(plugin, pod, nodes)).toBe(fits);
  });

  test('distinguishes a missing label, which no eviction adds, from too many pods', () => {
    const nodes = [zoneNode('a', '1', 3), zoneNode('b', '2', 0), makeNodeInfo('none')];
    const pod = spread([constraint()]);
    const state = new CycleState(nodes);
    plugin.preFilter(state, pod, nodes);

    expect(nodes.map((node) => plugin.filter(state, pod, node))).toEqual([
      { kind: 'unschedulable', reasons: ["node(s) didn't match pod topology spread constraints"] },
      { kind: 'fits' },
      {
        kind: 'unschedulable-and-unresolvable',
        reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
      },
    ]);
  });

  test('follows removed pods, on a copy of the state', () => {
    const nodes = [zoneNode('a', '1', 1), zoneNode('b', '2', 0)];
    const [node] = nodes as [NodeInfo, NodeInfo];
    const pod = spread([constraint()]);
    const state = new CycleState(nodes);
    plugin.preFilter(state, pod, nodes);
    const copy = state.clone();
    plugin.removePod?.(copy, pod, { other: makePodInfo('a-0', { labels }), node });

    expect([plugin.filter(copy, pod, node).kind, plugin.filter(state, pod, node).kind]).toEqual([
      'fits',
      'unschedulable',
    ]);
  });
});

describe('PodTopologySpread score', () => {
  function scores(pod: PodInfo, nodes: readonly NodeInfo[], by = plugin): unknown {
    const state = new CycleState(nodes);
    if (by.preScore(state, pod, nodes) === 'skip') return 'skip';
    const all = nodes.map((node) => by.score(state, pod, node));
    by.normalize?.(all, { state, pod, nodes });
    return all;
  }
  const soft = (parts: Partial<TopologySpreadConstraint> = {}) =>
    constraint({ whenUnsatisfiable: 'ScheduleAnyway', ...parts });

  test('prefers the emptier zone', () => {
    expect(scores(spread([soft()]), [zoneNode('a', '1', 3), zoneNode('b', '1', 0), zoneNode('c', '2', 0)])).toEqual([
      0, 0, 100,
    ]);
  });

  test('hard constraints are not scored', () => {
    expect(scores(spread([constraint()]), [zoneNode('a', '1', 1)])).toBe('skip');
  });

  test('all nodes score the same while there are no matching pods', () => {
    expect(scores(spread([soft()]), [zoneNode('a', '1', 0), zoneNode('c', '2', 0)])).toEqual([100, 100]);
  });

  test('a node without the label is last', () => {
    expect(scores(spread([soft()]), [zoneNode('a', '1', 1), makeNodeInfo('none')])).toEqual([100, 0]);
  });

  test('a pod of a service is spread over hosts and zones by default, also where there are no zones', () => {
    const byService = podTopologySpread(() => LabelSelector.fromLabels(labels));
    const nodes = [zoneNode('a', '1', 2), zoneNode('b', '1', 0)];

    const [full, empty] = scores(makePodInfo('p', { labels }), nodes, byService) as [number, number];
    expect(empty).toBeGreaterThan(full);
  });

  test('by default, nodes without a zone add to the weight of zones as one more zone', () => {
    const byService = podTopologySpread(() => LabelSelector.fromLabels(labels));
    const pods = [makePodInfo('a-0', { labels })];
    const nodes = [makeNodeInfo('a', { labels: { 'topology.kubernetes.io/zone': '1' }, pods }), makeNodeInfo('b')];

    expect(scores(makePodInfo('p', { labels }), nodes, byService)).toEqual([22, 100]);
  });

  test('an empty selector ranks all nodes alike', () => {
    const nodes = [zoneNode('a', '1', 3), zoneNode('c', '2', 0)];
    expect(scores(spread([soft({ labelSelector: {} })]), nodes)).toEqual([100, 100]);
  });

  test('a pod without services and controller is not spread', () => {
    expect(scores(makePodInfo('p', { labels }), [zoneNode('a', '1', 2)])).toBe('skip');
  });
});
