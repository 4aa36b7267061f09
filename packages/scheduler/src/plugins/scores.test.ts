import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo, type PodParts } from '../builders.fixture.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { ScoringStrategy } from '../config/scheduler-configuration.js';
import { CycleState } from '../framework/cycle-state.js';
import { normalizeByMaximum } from '../framework/normalize.js';
import type { PreScorePlugin, ScorePlugin } from '../framework/plugin.js';
import { balancedAllocation } from './balanced-allocation.js';
import { imageLocality } from './image-locality.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { taintToleration } from './taint-toleration.js';

/** Scores after normalization, or `skip`. */
function scores(plugin: ScorePlugin & Partial<PreScorePlugin>, pod: PodParts, nodes: readonly NodeInfo[]): unknown {
  const info = makePodInfo('p', pod);
  const state = new CycleState(nodes);
  if (plugin.preScore?.(state, info, nodes) === 'skip') return 'skip';
  const all = nodes.map((node) => plugin.score(state, info, node));
  plugin.normalize?.(all, { state, pod: info, nodes });
  return all;
}

describe('normalisation', () => {
  test.each([
    { name: 'stretches to 100', raw: [0, 5, 10], reverse: false, result: [0, 50, 100] },
    { name: 'cuts fractions off', raw: [1, 3], reverse: false, result: [33, 100] },
    { name: 'turns around', raw: [0, 1, 2], reverse: true, result: [100, 50, 0] },
    { name: 'makes nothing of nothing', raw: [0, 0], reverse: false, result: [0, 0] },
    { name: 'makes all of nothing, turned around', raw: [0, 0], reverse: true, result: [100, 100] },
  ])('$name', ({ raw, reverse, result }) => {
    const values = [...raw];
    normalizeByMaximum(values, { reverse });

    expect(values).toEqual(result);
  });
});

describe('SCH-98 NodeResourcesFit prefers the emptier node', () => {
  test.each([
    {
      name: 'by the mean of what is left of cpu and memory',
      requests: { cpu: '1', memory: '4Gi' },
      allocatable: {},
      score: (75 + 50) / 2,
    },
    { name: 'a pod without requests is taken to need 100m and 200 MiB', requests: {}, allocatable: {}, score: 97 },
    { name: 'more than there is leaves nothing', requests: { cpu: '8', memory: '4Gi' }, allocatable: {}, score: 25 },
    {
      name: 'a resource that the node lacks is left out',
      requests: { cpu: '1' },
      allocatable: { memory: '0' },
      score: 75,
    },
  ])('$name', ({ requests, allocatable, score }) => {
    expect(scores(nodeResourcesFit(), { requests }, [makeNodeInfo('a', { allocatable })])).toEqual([Math.trunc(score)]);
  });
});

describe('SCH-98 NodeResourcesFit with a strategy', () => {
  const half = { requests: { cpu: '2', memory: '4Gi' } };
  const gpu = 'example.com/gpu';
  test.each<[string, ScoringStrategy, PodParts, number]>([
    ['MostAllocated prefers the fuller node', { type: 'MostAllocated' }, { requests: { cpu: '3', memory: '4Gi' } }, 62],
    [
      'weights count',
      { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 3 }, { name: 'memory' }] },
      { requests: { cpu: '4', memory: '0' } },
      75,
    ],
    [
      'a special resource counts for those who request it',
      { type: 'MostAllocated', resources: [{ name: gpu }] },
      { requests: { [gpu]: '1' } },
      25,
    ],
    ['and not for others', { type: 'MostAllocated', resources: [{ name: gpu }, { name: 'cpu' }] }, half, 50],
    [
      'RequestedToCapacityRatio follows its shape',
      {
        type: 'RequestedToCapacityRatio',
        requestedToCapacityRatio: {
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 100, score: 10 },
          ],
        },
      },
      half,
      50,
    ],
    [
      'RequestedToCapacityRatio turned around prefers the emptier node',
      {
        type: 'RequestedToCapacityRatio',
        requestedToCapacityRatio: {
          shape: [
            { utilization: 25, score: 10 },
            { utilization: 75, score: 0 },
          ],
        },
      },
      { requests: { cpu: '1', memory: '4Gi' } },
      75,
    ],
  ])('%s', (_, scoringStrategy, pod, score) => {
    const node = makeNodeInfo('a', { allocatable: { [gpu]: '4' } });
    expect(scores(nodeResourcesFit({ scoringStrategy }), pod, [node])).toEqual([score]);
  });
});

describe('NodeResourcesBalancedAllocation', () => {
  test('balances other resources too if they are configured', () => {
    const resources = [{ name: 'cpu' }, { name: 'memory' }, { name: 'ephemeral-storage' }];
    const nodes = [
      makeNodeInfo('a', { allocatable: { 'ephemeral-storage': '10Gi' } }),
      makeNodeInfo('b', { allocatable: { 'ephemeral-storage': '100Gi' } }),
    ];
    const requests = { cpu: '1', memory: '2Gi', 'ephemeral-storage': '2560Mi' };
    expect(scores(balancedAllocation({ resources }), { requests }, nodes)).toEqual([75, 69]);
  });

  test('special resources do not count for pods that do not request them', () => {
    const gpu = 'example.com/gpu';
    const resources = [{ name: 'cpu' }, { name: 'memory' }, { name: gpu }];
    const node = makeNodeInfo('a', { allocatable: { [gpu]: '4' } });
    const balanced = { cpu: '1', memory: '2Gi' };

    expect(scores(balancedAllocation({ resources }), { requests: balanced }, [node])).toEqual([75]);
    expect(scores(balancedAllocation({ resources }), { requests: { ...balanced, [gpu]: '4' } }, [node])).toEqual([57]);
  });

  test('a pod without requests is not scored', () => {
    expect(scores(balancedAllocation(), {}, [makeNodeInfo('a')])).toBe('skip');
  });

  test('prefers the node that the pod leaves more balanced than it was', () => {
    const nodes = [
      makeNodeInfo('even'),
      makeNodeInfo('cpu-heavy', { pods: [makePodInfo('x', { requests: { cpu: '2' } })] }),
      makeNodeInfo('memory-heavy', { pods: [makePodInfo('y', { requests: { memory: '4Gi' } })] }),
    ];

    expect(scores(balancedAllocation(), { requests: { cpu: '1', memory: '1Gi' } }, nodes)).toEqual([71, 71, 78]);
  });
});

describe('TaintToleration', () => {
  const prefer = (key: string) => ({ key, effect: 'PreferNoSchedule' });
  const nodes = [
    makeNodeInfo('none'),
    makeNodeInfo('one', { taints: [prefer('a')] }),
    makeNodeInfo('two', { taints: [prefer('a'), prefer('b'), { key: 'c', effect: 'NoSchedule' }] }),
  ];

  test.each([
    { name: 'prefers nodes with fewer taints that ask to be avoided', tolerations: [], result: [100, 50, 0] },
    { name: 'tolerated ones do not count', tolerations: [{ key: 'a', operator: 'Exists' }], result: [100, 100, 0] },
    {
      name: 'a toleration for another effect does not count',
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
      result: [100, 50, 0],
    },
  ])('$name', ({ tolerations, result }) => {
    expect(scores(taintToleration, { spec: { tolerations } }, nodes)).toEqual(result);
  });
});

describe('NodeAffinity', () => {
  const nodes = [
    makeNodeInfo('a', { labels: { x: '1', y: '1' } }),
    makeNodeInfo('b', { labels: { x: '1' } }),
    makeNodeInfo('c'),
  ];
  const preferring = (...terms: [weight: number, key: string][]) => ({
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, key]) => ({
            weight,
            preference: { matchExpressions: [{ key, operator: 'Exists' }] },
          })),
        },
      },
    },
  });

  test('adds the weights of the preferences that hold', () => {
    expect(scores(nodeAffinity(), preferring([1, 'x'], [3, 'y']), nodes)).toEqual([100, 25, 0]);
  });

  test('a pod without preferences is not scored', () => {
    expect(scores(nodeAffinity(), {}, nodes)).toBe('skip');
  });
});

describe('NodeAffinity with addedAffinity', () => {
  const term = (key: string) => ({ matchExpressions: [{ key, operator: 'Exists' }] });
  const added = nodeAffinity({
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('pool')] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term('fast') }],
    },
  });

  test('keeps all pods to those nodes, and prefers those', () => {
    const nodes = [
      makeNodeInfo('a', { labels: { pool: 'x' } }),
      makeNodeInfo('b', { labels: { pool: 'x', fast: '' } }),
    ];
    expect(scores(added, {}, nodes)).toEqual([0, 100]);
    expect(added.preFilter(new CycleState([]), makePodInfo('p'), [])).toEqual({ kind: 'ready' });
    expect(added.filter(new CycleState([]), makePodInfo('p'), makeNodeInfo('c'))).toEqual({
      kind: 'unschedulable-and-unresolvable',
      reasons: ["node(s) didn't match scheduler-enforced node affinity"],
    });
  });
});

describe('ImageLocality', () => {
  const mebibyte = 1024 * 1024;
  const withImage = (name: string, size: number, image = 'app:latest') =>
    makeNodeInfo(name, { images: [{ names: [image], sizeBytes: size * mebibyte }] });

  test.each([
    {
      name: 'an image everywhere counts in full',
      nodes: [withImage('a', 1000), withImage('b', 1000)],
      result: [100, 100],
    },
    {
      name: 'an image on half of the nodes counts half',
      nodes: [withImage('a', 1000), makeNodeInfo('b')],
      result: [48, 0],
    },
    { name: 'a small image counts nothing', nodes: [withImage('a', 23)], result: [0] },
    { name: 'more than a thousand mebibytes count no more', nodes: [withImage('a', 5000)], result: [100] },
    {
      name: 'another tag is another image, and nothing to score by',
      nodes: [withImage('a', 1000, 'app:v2')],
      result: 'skip',
    },
  ])('$name', ({ nodes, result }) => {
    expect(scores(imageLocality, { image: 'app' }, nodes)).toEqual(result);
  });

  test('the share is of all nodes, not of the filtered ones', () => {
    const nodes = [withImage('a', 1000), makeNodeInfo('b')];
    const state = new CycleState(nodes);
    const pod = makePodInfo('p', { image: 'app' });
    imageLocality.preScore(state, pod, nodes.slice(0, 1));

    expect(imageLocality.score(state, pod, nodes[0] as NodeInfo)).toBe(48);
  });

  test('images of volumes count like those of containers', () => {
    const nodes = [withImage('a', 1000, 'data:v1')];
    const spec = { volumes: [{ name: 'v', image: { reference: 'data:v1' } }] };

    expect(scores(imageLocality, { image: 'app', spec }, nodes)).toEqual([49]);
  });

  test('a registry port is not parsed as a tag', () => {
    const image = 'registry.example.com:5000/app';

    expect(scores(imageLocality, { image }, [withImage('a', 1000, `${image}:latest`)])).toEqual([100]);
  });
});

test('cpu and memory score the same in either order, whatever is used of them', () => {
  const amount = fc.record({ cpu: fc.nat(8_000), memory: fc.nat(1 << 20) });
  const names = [{ name: 'memory' }, { name: 'cpu' }];
  const listOf = ({ cpu, memory }: { cpu: number; memory: number }) => ({ cpu: `${cpu}m`, memory: `${memory}Ki` });
  const scoreOf = (plugin: Pick<ScorePlugin, 'score'>, node: NodeInfo, requests: Record<string, string>) =>
    plugin.score(new CycleState([node]), makePodInfo('p', { requests }), node);
  fc.assert(
    fc.property(amount, amount, amount, (total, used, request) => {
      const other = makePodInfo('other', { requests: listOf(used) });
      const node = makeNodeInfo('a', { allocatable: listOf(total), pods: [other] });
      const requests = listOf(request);
      expect(scoreOf(balancedAllocation(), node, requests)).toBe(
        scoreOf(balancedAllocation({ resources: names }), node, requests),
      );
      for (const type of ['LeastAllocated', 'MostAllocated'] as const)
        expect(scoreOf(nodeResourcesFit({ scoringStrategy: { type } }), node, requests)).toBe(
          scoreOf(nodeResourcesFit({ scoringStrategy: { type, resources: names } }), node, requests),
        );
    }),
  );
});
