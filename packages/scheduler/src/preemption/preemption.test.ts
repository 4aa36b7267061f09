import type { PodDisruptionBudget } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo, type PodParts } from '../builders.fixture.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { CycleState } from '../framework/cycle-state.js';
import { makeProfile } from '../framework/profile.fixture.js';
import type { Victims } from '../framework/victims.js';
import { interPodAffinity } from '../plugins/inter-pod-affinity.js';
import { nodePorts } from '../plugins/node-ports.js';
import { nodeResourcesFit } from '../plugins/node-resources-fit.js';
import { prioritySort } from '../plugins/priority-sort.js';
import { splitByBudget } from './disruption-budgets.js';
import { pickNode } from './pick-node.js';
import { selectVictims } from './select-victims.js';

const profile = makeProfile(
  [prioritySort, nodePorts, nodeResourcesFit(), interPodAffinity({ labelsOf: () => ({}), version: () => 0 })].map(
    (plugin) => ({ plugin }),
  ),
);

function budget(disruptionsAllowed: number, app: string, more: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget {
  return {
    metadata: { name: `protect-${app}`, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    ...more,
  };
}

const lesser = (name: string, cpu: string, priority = 0, more: PodParts = {}) =>
  makePodInfo(name, { priority, requests: { cpu }, ...more });

function victims(pod: PodInfo, node: NodeInfo, budgets: PodDisruptionBudget[] = []): unknown {
  const state = new CycleState([node]);
  for (const plugin of profile.preFilter)
    if (plugin.preFilter(state, pod, [node]).kind === 'skip') state.skippedFilters.add(plugin.name);
  const found = selectVictims({ state, pod, node, profile, budgets });
  return 'pods' in found ? { pods: found.pods.map(({ uid }) => uid), violations: found.violations } : found;
}

describe('SCH-101 victims on a node', () => {
  const pod = makePodInfo('p', { priority: 10, requests: { cpu: '2' } });
  const cases: { name: string; pods: PodInfo[]; budgets?: PodDisruptionBudget[]; found: object }[] = [
    {
      name: 'are none where no pod has a lower priority',
      pods: [lesser('x', '4', 10)],
      found: { kind: 'unschedulable-and-unresolvable', reasons: ['No preemption victims found for incoming pod'] },
    },
    {
      name: 'do not help where what is left is still too much',
      pods: [lesser('x', '1'), lesser('y', '3', 10)],
      found: { kind: 'unschedulable', reasons: ['Insufficient cpu'] },
    },
    {
      name: 'are no more than needed',
      pods: [lesser('x', '2'), lesser('y', '2')],
      found: { pods: ['y'], violations: 0 },
    },
    {
      name: 'are the least important',
      pods: [lesser('x', '2', 1), lesser('y', '2', 5)],
      found: { pods: ['x'], violations: 0 },
    },
    {
      name: 'among equals are those that started last',
      pods: [
        lesser('new', '2', 0, { startTime: '2026-01-02T00:00:00Z' }),
        lesser('old', '2', 0, { startTime: '2026-01-01T00:00:00Z' }),
      ],
      found: { pods: ['new'], violations: 0 },
    },
    {
      name: 'leave the more important where one is enough',
      pods: [lesser('x', '2', 5), lesser('y', '1', 1), lesser('z', '1', 1)],
      found: { pods: ['y', 'z'], violations: 0 },
    },
    {
      name: 'are rather not those that a budget protects, however unimportant',
      pods: [lesser('safe', '2', 1, { labels: { app: 'a' } }), lesser('y', '2', 5)],
      budgets: [budget(0, 'a')],
      found: { pods: ['y'], violations: 0 },
    },
    {
      name: 'are those that a budget protects where there is no other way',
      pods: [lesser('safe', '4', 1, { labels: { app: 'a' } })],
      budgets: [budget(0, 'a')],
      found: { pods: ['safe'], violations: 1 },
    },
  ];

  test.each(cases)('$name', ({ pods, budgets, found }) => {
    expect(victims(pod, makeNodeInfo('a', { pods }), budgets)).toEqual(found);
  });

  test('may block for other reasons than resources', () => {
    const inTheWay = lesser('x', '100m', 0, { hostPort: 80 });
    const wanting = makePodInfo('p', { priority: 10, hostPort: 80 });

    expect(victims(wanting, makeNodeInfo('a', { pods: [inTheWay, lesser('y', '100m')] }))).toEqual({
      pods: ['x'],
      violations: 0,
    });
  });

  test('may block by anti-affinity', () => {
    const apart = makePodInfo('p', {
      priority: 10,
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      },
    });
    const pods = [lesser('x', '1', 0, { labels: { app: 'a' } }), lesser('y', '1', 0, { labels: { app: 'b' } })];

    expect(victims(apart, makeNodeInfo('a', { pods }))).toEqual({ pods: ['x'], violations: 0 });
  });
});

describe('budgets', () => {
  const pods = ['x', 'y', 'z'].map((name) => makePodInfo(name, { labels: { app: 'a' } }));
  const cases: { name: string; budgets: PodDisruptionBudget[]; violating: string[] }[] = [
    { name: 'let as many go as they allow', budgets: [budget(2, 'a')], violating: ['z'] },
    { name: 'of other pods do not matter', budgets: [budget(0, 'b')], violating: [] },
    {
      name: 'of other namespaces do not matter',
      budgets: [budget(0, 'a', { metadata: { namespace: 'other' } })],
      violating: [],
    },
    {
      name: 'that select everything do not matter',
      budgets: [budget(0, 'a', { spec: { selector: {} } })],
      violating: [],
    },
    {
      name: 'that have let a pod go already do not count it again',
      budgets: [
        budget(0, 'a', {
          status: {
            disruptionsAllowed: 0,
            currentHealthy: 0,
            desiredHealthy: 0,
            expectedPods: 0,
            disruptedPods: { x: '2026-01-01T00:00:00Z' },
          },
        }),
      ],
      violating: ['y', 'z'],
    },
    { name: 'all have to allow it', budgets: [budget(3, 'a'), budget(1, 'a')], violating: ['y', 'z'] },
  ];

  test.each(cases)('$name', ({ budgets, violating }) => {
    expect(splitByBudget(pods, budgets).violating.map(({ uid }) => uid)).toEqual(violating);
  });
});

describe('SCH-102 the node with the lowest preemption cost', () => {
  const on = (node: string, pods: PodInfo[], violations = 0): Victims => ({ node, pods, violations });
  const of = (priority: number, startTime?: string) =>
    makePodInfo(`v${priority}`, { priority, ...(startTime && { startTime }) });
  const cases = [
    { name: 'has the fewest broken budgets', nodes: [on('a', [of(1)], 1), on('b', [of(9), of(9)])], picked: 'b' },
    {
      name: 'then the least important of the most important victims',
      nodes: [on('a', [of(9)]), on('b', [of(5), of(5)])],
      picked: 'b',
    },
    {
      name: 'then the lowest sum of priorities',
      nodes: [on('a', [of(5), of(4)]), on('b', [of(5), of(3)])],
      picked: 'b',
    },
    {
      name: 'then fewer victims, also of negative priority',
      nodes: [on('a', [of(-5), of(-5)]), on('b', [of(-5)])],
      picked: 'b',
    },
    {
      name: 'then victims that started later',
      nodes: [on('a', [of(5, '2026-01-01T00:00:00Z')]), on('b', [of(5, '2026-01-02T00:00:00Z')])],
      picked: 'b',
    },
    { name: 'then the first', nodes: [on('a', [of(5)]), on('b', [of(5)])], picked: 'a' },
    { name: 'is none of none', nodes: [], picked: undefined },
  ];

  test.each(cases)('$name', ({ nodes, picked }) => {
    expect(pickNode(nodes)?.node).toBe(picked);
  });
});
