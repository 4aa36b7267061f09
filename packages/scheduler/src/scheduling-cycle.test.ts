import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeNode, makeNodeInfo, makePodInfo } from './builders.fixture.js';
import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import { describeFailure } from './fit-error.js';
import { withMeasuredPlugins } from './framework/measured-plugins.js';
import type { FilterPlugin, Plugin, ScorePlugin } from './framework/plugin.js';
import { makeProfile } from './framework/profile.fixture.js';
import type { Profile, ProfileEntry } from './framework/profile.js';
import { fits, unschedulableAndUnresolvable } from './framework/verdict.js';
import { balancedAllocation } from './plugins/balanced-allocation.js';
import { nodeAffinity } from './plugins/node-affinity.js';
import { nodeResourcesFit } from './plugins/node-resources-fit.js';
import { nodeUnschedulable } from './plugins/node-unschedulable.js';
import { prioritySort } from './plugins/priority-sort.js';
import { taintToleration } from './plugins/taint-toleration.js';
import { type CycleInput, nodesToFind, type Placement, placePod } from './scheduling-cycle.js';

const standard: ProfileEntry[] = [prioritySort, nodeUnschedulable, nodeAffinity(), nodeResourcesFit()].map(
  (plugin) => ({
    plugin,
  }),
);

function place(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  input: Partial<CycleInput> & { entries?: ProfileEntry[] } = {},
) {
  const { entries = standard, ...rest } = input;
  const placement = placePod(pod, {
    profile: makeProfile(entries),
    nodes,
    startAt: 0,
    ...rest,
  });
  return placement.kind === 'placed'
    ? { node: placement.node.name, feasible: placement.feasible, evaluated: placement.evaluated }
    : { message: describeFailure(placement.failure), refusedBy: [...placement.failure.refusedBy].sort() };
}

describe('SCH-93 how many nodes that fit are enough', () => {
  test.each([
    [0, 0],
    [1, 1],
    [99, 99],
    [100, 100],
    [187, 100],
    [250, 120],
    [500, 230],
    [1000, 420],
    [5000, 500],
    [6000, 300],
    [20000, 1000],
  ])('of %i nodes: %i', (count, enough) => {
    expect(nodesToFind(count)).toBe(enough);
  });

  test.each([
    [1_000, 30, 300],
    [1_000, 1, 100],
    [1_000, 100, 1_000],
    [99, 1, 99],
  ])('SCH-93 of %i nodes, with percentageOfNodesToScore %i, %i are enough', (count, percentage, enough) => {
    expect(nodesToFind(count, percentage)).toBe(enough);
  });

  test('the search begins where the last one ended and stops after enough nodes', () => {
    const nodes = Array.from({ length: 250 }, (_, i) => makeNodeInfo(`n${i}`));
    const onlyFirst: Plugin & { score(state: unknown, pod: PodInfo, node: NodeInfo): number } = {
      name: 'ByName',
      score: (_state, _pod, { name }) => (name === 'n0' ? 100 : name === 'n240' ? 50 : 0),
    };
    const entries = [...standard, { plugin: onlyFirst }];

    expect([200, 0].map((startAt) => place(makePodInfo('p'), nodes, { startAt, entries }))).toEqual([
      { node: 'n0', feasible: 120, evaluated: 120 },
      { node: 'n0', feasible: 120, evaluated: 120 },
    ]);
    expect(place(makePodInfo('p'), nodes, { startAt: 130, entries })).toMatchObject({ node: 'n240' });
  });
});

describe('SCH-73 placing', () => {
  test('one node that fits is taken without ranking', () => {
    const never: Plugin & { score(): number } = {
      name: 'Never',
      score: () => {
        throw new Error('ranked');
      },
    };
    const nodes = [makeNodeInfo('a', { unschedulable: true }), makeNodeInfo('b')];

    expect(place(makePodInfo('p'), nodes, { entries: [...standard, { plugin: never }] })).toEqual({
      node: 'b',
      feasible: 1,
      evaluated: 2,
    });
  });

  test('SCH-97 weights multiply scores', () => {
    const scorer = (name: string, likes: string) => ({
      name,
      score: (_s: unknown, _p: PodInfo, node: NodeInfo) => (node.name === likes ? 10 : 0),
    });
    const entries = [
      { plugin: prioritySort },
      { plugin: scorer('One', 'a'), weight: 2 },
      { plugin: scorer('Two', 'b'), weight: 3 },
    ];

    expect(place(makePodInfo('p'), [makeNodeInfo('a'), makeNodeInfo('b')], { entries })).toMatchObject({ node: 'b' });
  });

  test.each([
    ['the first of all', ['n0', 'n1', 'n2'], 'n0'],
    ['of two neighbours the first', ['n1', 'n2'], 'n1'],
    ['what stands under the first of two rather than the second', ['n2', 'n3'], 'n3'],
    ['and all of it', ['n2', 'n4', 'n5'], 'n4'],
    ['the one above rather than those below it', ['n2', 'n5', 'n6'], 'n2'],
    ['the only one', ['n6'], 'n6'],
  ])('SCH-97 equal scores are ordered by the heap of kube-scheduler: %s', (_, best, node) => {
    const nodes = Array.from({ length: 7 }, (_, i) => makeNodeInfo(`n${i}`));
    const preferring: Plugin & { score(state: unknown, pod: PodInfo, node: NodeInfo): number } = {
      name: 'Preferring',
      score: (_state, _pod, { name }) => (best.includes(name) ? 100 : 0),
    };

    expect(place(makePodInfo('p'), nodes, { entries: [...standard, { plugin: preferring }] })).toMatchObject({ node });
  });
});

describe('SCH-96 why a pod fits nowhere', () => {
  const big = makePodInfo('p', { requests: { cpu: '3' } });

  test('is counted by reason and sorted', () => {
    const busy = makePodInfo('x', { requests: { cpu: '2' } });
    const nodes = [
      makeNodeInfo('a', { unschedulable: true }),
      makeNodeInfo('b', { pods: [busy] }),
      makeNodeInfo('c', { pods: [makePodInfo('y', { requests: { cpu: '2' } })] }),
    ];

    expect(place(big, nodes)).toEqual({
      message: '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.',
      refusedBy: ['NodeResourcesFit', 'NodeUnschedulable'],
    });
  });

  test('SCH-43 a node has the reason of the first plugin that refuses it', () => {
    const nodes = [makeNodeInfo('a', { unschedulable: true, allocatable: { cpu: '1' } })];

    expect(place(big, nodes)).toMatchObject({ message: '0/1 nodes are available: 1 node(s) were unschedulable.' });
  });

  test('a pod that names a missing node waits for it', () => {
    const pod = makePodInfo('p', {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }],
            },
          },
        },
      },
    });

    expect(place(pod, [makeNodeInfo('a'), makeNodeInfo('b')])).toEqual({
      message: "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
      refusedBy: ['NodeAffinity'],
    });
  });

  test('the message of a PreFilter plugin stands alone', () => {
    const no = {
      name: 'No',
      preFilter: () => ({ kind: 'unschedulable-and-unresolvable' as const, reasons: ['never'] }),
    };

    expect(place(big, [makeNodeInfo('a')], { entries: [...standard, { plugin: no }] })).toEqual({
      message: '0/1 nodes are available: never.',
      refusedBy: ['No'],
    });
  });

  test('the message of PostFilter plugins follows', () => {
    const failure = {
      nodeCount: 1,
      failures: new Map([['a', unschedulableAndUnresolvable('no')]]),
      refusedBy: new Set<string>(),
    };

    expect(describeFailure(failure, 'preemption: nothing.')).toBe(
      '0/1 nodes are available: 1 no. preemption: nothing.',
    );
  });
});

describe('SCH-78 pods that are nominated for a node', () => {
  const nodes = [makeNodeInfo('a')];
  const rival = (priority: number) => () => [makePodInfo('rival', { priority, requests: { cpu: '3' } })];
  const pod = makePodInfo('p', { priority: 5, requests: { cpu: '2' } });
  const cases = [
    { name: 'count when they are more important', nominated: rival(10), placed: false },
    { name: 'count when they are as important', nominated: rival(5), placed: false },
    { name: 'do not count when they are less important', nominated: rival(1), placed: true },
    { name: 'do not count against themselves', nominated: () => [pod], placed: true },
  ];

  test.each(cases)('$name', ({ nominated, placed }) => {
    expect('node' in place(pod, nodes, { nominated })).toBe(placed);
    expect('node' in place(pod, nodes, { nominated, nominatedNodes: new Set(nodes) })).toBe(placed);
  });

  test('are looked up only on nodes with nominated pods', () => {
    const two = [makeNodeInfo('a'), makeNodeInfo('b')];
    const queriedNodes: string[] = [];
    const nominated = (name: string) => {
      queriedNodes.push(name);
      return [];
    };
    place(pod, two, { nominated, nominatedNodes: new Set(two.slice(1)) });
    expect(queriedNodes).toEqual(['b']);
  });

  test('are placed there, if they still fit', () => {
    const two = [
      makeNodeInfo('empty'),
      makeNodeInfo('nominated', { pods: [makePodInfo('x', { requests: { cpu: '1' } })] }),
    ];

    expect([
      place(pod, two, { nominatedNode: 'nominated' }),
      place(makePodInfo('q', { requests: { cpu: '4' } }), two, { nominatedNode: 'nominated' }),
      place(pod, two, { nominatedNode: 'gone' }),
    ]).toMatchObject([{ node: 'nominated', evaluated: 0 }, { node: 'empty' }, { node: 'empty' }]);
  });
});

describe('results of a node are reused for equivalent pods', () => {
  const local = [prioritySort, taintToleration, nodeResourcesFit(), balancedAllocation()];
  /** The plugins as they are, and as plugins without `nodeLocal`, which are called for every node of every attempt. */
  const [withMemos, without] = [true, false].map((isNodeLocal) =>
    makeProfile(local.map((plugin) => ({ plugin: { ...plugin, isNodeLocal } }))),
  );
  const notMeasuring = { now: () => 0, plugin: () => {}, point: () => {} };
  const pods = ['500m', '1', '3'].map((cpu) => makePodInfo(`p${cpu}`, { requests: { cpu, memory: '1Gi' } }));
  const tolerant = makePodInfo('tolerant', {
    requests: { cpu: '1', memory: '1Gi' },
    spec: { tolerations: [{ key: 'k', operator: 'Exists' }] },
  });

  test('the choice is the same as if all plugins were called', () => {
    const change = fc.record({ kind: fc.nat(4), node: fc.nat(3), pod: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const nodes = ['a', 'b', 'c', 'd'].map((name) => makeNodeInfo(name));
        const taint = { key: 'k', effect: 'NoSchedule' };
        changes.forEach(({ kind, node: index, pod: which }, turn) => {
          const node = nodes[index] as NodeInfo;
          const [first] = node.pods.keys();
          if (kind === 0) node.addPod(makePodInfo(`other-${turn}`, { requests: { cpu: `${which + 1}` } }));
          else if (kind === 1 && first !== undefined) node.removePod(first);
          else if (kind === 2) node.setNode(makeNode(node.name, { taints: which % 2 ? [taint] : [] }));
          const pod = [...pods, tolerant][which] as PodInfo;
          const profiles = [withMemos, withMeasuredPlugins(withMemos as Profile, notMeasuring), without];
          const [placement, sampled, expected] = profiles.map((profile) =>
            placePod(pod, { profile: profile as Profile, nodes, startAt: turn % 4, nominatedNodes: new Set() }),
          );
          expect([outcomeOf(placement), outcomeOf(sampled)]).toEqual([outcomeOf(expected), outcomeOf(expected)]);
        });
      }),
    );
  });

  test('in measured attempts too, which measure one node in ten', () => {
    const calls: string[] = [];
    const counting: FilterPlugin & ScorePlugin = {
      name: 'Counting',
      isNodeLocal: true,
      filter: (_state, _pod, node) => {
        calls.push(node.name);
        return fits;
      },
      score: () => 1,
    };
    const timed: string[] = [];
    const profile = makeProfile([{ plugin: prioritySort }, { plugin: counting }]);
    const sampled = withMeasuredPlugins(profile, {
      now: () => 0,
      plugin: (name, point) => timed.push(`${name} ${point}`),
      point: () => {},
    });
    const nodes = Array.from({ length: 25 }, (_, index) => makeNodeInfo(`n${index}`));
    const pod = makePodInfo('p', { requests: { cpu: '1' } });
    const common = { nodes, startAt: 0, nominatedNodes: new Set<NodeInfo>() };
    placePod(pod, { profile, ...common });
    expect([calls.splice(0).length, timed.length]).toEqual([25, 0]);
    placePod(pod, { profile: sampled, isSampled: true, ...common });
    expect(calls).toEqual(['n0', 'n10', 'n20']);
    expect(timed.filter((one) => one === 'Counting Filter')).toHaveLength(3);
    expect(timed.filter((one) => one === 'Counting Score')).toHaveLength(3);
    calls.length = 0;
    placePod(pod, { profile, ...common });
    expect(calls).toEqual([]);
  });

  test('plugins are not called unless something changed', () => {
    const no = unschedulableAndUnresolvable('no');
    const called: string[] = [];
    const counting: FilterPlugin & ScorePlugin = {
      name: 'Counting',
      isNodeLocal: true,
      filter: (_state, _pod, node) => {
        called.push(node.name);
        return fits;
      },
      score: () => 1,
    };
    // Depends on more than the node: it is called every time.
    const distant: FilterPlugin = { name: 'Distant', filter: (_state, _pod, { name }) => (name === 'c' ? no : fits) };
    const profile = makeProfile([prioritySort, counting, distant].map((plugin) => ({ plugin })));
    const nodes = ['a', 'b', 'c'].map((name) => makeNodeInfo(name));
    const [one, same, other] = ['1', '1', '2'].map((cpu, index) => makePodInfo(`p${index}`, { requests: { cpu } }));
    const callsFor = (pod: PodInfo | undefined) => {
      called.length = 0;
      const found = placePod(pod as PodInfo, { profile, nodes, startAt: 0, nominatedNodes: new Set() });
      expect(found).toMatchObject({ kind: 'placed', feasible: 2 });
      return called.join();
    };
    expect([callsFor(one), callsFor(same)]).toEqual(['a,b,c', '']);
    nodes[1]?.addPod(makePodInfo('new'));
    expect(callsFor(same)).toBe('b');
    expect([callsFor(other), callsFor(one)]).toEqual(['a,b,c', 'a,b,c']);
    // Special resources depend on other plugins too.
    const special = makePodInfo('s', { requests: { 'example.com/gpu': '1' } });
    expect([callsFor(special), callsFor(special)]).toEqual(['a,b,c', 'a,b,c']);
  });
});

function outcomeOf(placement: Placement | undefined): unknown {
  if (placement?.kind === 'placed') return placement.node.name;
  return placement && describeFailure(placement.failure);
}
