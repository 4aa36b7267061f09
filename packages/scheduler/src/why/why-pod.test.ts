import type { NodeSelectorRequirement } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import type { PodInfo } from '../cache/pod-info.js';
import { makeProfile } from '../framework/profile.fixture.js';
import { fits, unschedulable } from '../framework/verdict.js';
import { interPodAffinity } from '../plugins/inter-pod-affinity.js';
import { nodeAffinity } from '../plugins/node-affinity.js';
import { nodeResourcesFit } from '../plugins/node-resources-fit.js';
import { nodeUnschedulable } from '../plugins/node-unschedulable.js';
import { podTopologySpread } from '../plugins/pod-topology-spread.js';
import { prioritySort } from '../plugins/priority-sort.js';
import { taintToleration } from '../plugins/taint-toleration.js';
import { AttemptLog } from './attempt-log.js';
import { explainPod } from './explain-pod.js';
import { suggestChanges } from './suggest-changes.js';

/** Rejects pods with this claim on all nodes, as missing volumes do. */
const noVolume = {
  name: 'VolumeBinding',
  filter: (_state: unknown, { pod }: PodInfo) =>
    pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === 'lost')
      ? unschedulable('no volume')
      : fits,
};

const profile = makeProfile(
  [
    prioritySort,
    nodeUnschedulable,
    taintToleration,
    nodeAffinity(undefined),
    nodeResourcesFit(undefined),
    interPodAffinity({ labelsOf: () => ({}), version: () => 0 }),
    podTopologySpread(() => undefined),
    noVolume,
  ].map((plugin) => ({ plugin })),
);

function suggestions(pod: PodParts, nodes: Record<string, NodeParts>): string[] {
  const situation = {
    pod: makePodInfo('web', pod),
    nodes: Object.entries(nodes).map(([name, parts]) => makeNodeInfo(name, parts)),
    profile,
  };
  const found = suggestChanges(situation, explainPod(situation));
  return found.map(({ node, changes }) => `${node}: ${changes.join(' and ')}`);
}

function nodeAffinityOf(...matchExpressions: NodeSelectorRequirement[]): PodParts {
  const nodeSelectorTerms = [{ matchExpressions }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { spec: { affinity: { nodeAffinity } } };
}

const awayFromWeb = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
    ],
  },
};
const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };
const small = makePodInfo('small', { requests: { cpu: '1' } });
const large = makePodInfo('large', { requests: { cpu: '3' }, priority: 5 });

test.each<[string, PodParts, Record<string, NodeParts>, string[]]>([
  ['a taint', {}, { a: { taints: [taint] } }, ['a: tolerate the taint gpu=yes:NoSchedule']],
  ['a cordoned node', {}, { a: { unschedulable: true } }, ['a: uncordon the node a']],
  [
    'a label, which costs less than a label and a taint',
    { spec: { nodeSelector: { disk: 'ssd' } } },
    { a: { taints: [taint] }, b: {} },
    [
      'b: add the label disk=ssd to the node b',
      'a: tolerate the taint gpu=yes:NoSchedule and add the label disk=ssd to the node a',
    ],
  ],
  [
    'too little room: request less, or let others go',
    { requests: { cpu: '2' }, priority: 1 },
    { a: { pods: [small, large] } },
    [],
  ],
  [
    'some room',
    { requests: { cpu: '3' }, priority: 1 },
    { a: { pods: [small, makePodInfo('other', { requests: { cpu: '1' } })] } },
    ['a: shrink the request of cpu to 2', 'a: preempt default/small from the node a'],
  ],
  [
    'a container among others that requests the most',
    {
      spec: {
        containers: ['3', '2'].map((cpu, index) => ({
          name: `c${index}`,
          image: 'i',
          resources: { requests: { cpu } },
        })),
      },
    },
    { a: {} },
    ['a: shrink the request of cpu to 2 in the container c0'],
  ],
  [
    'a special resource that the node lacks',
    { requests: { cpu: '1', 'example.com/gpu': '1' } },
    { a: {} },
    ['a: shrink the request of example.com/gpu to 0'],
  ],
  [
    'a special resource that another pod has: that pod, not the largest',
    { requests: { 'example.com/gpu': '1' } },
    {
      a: {
        allocatable: { 'example.com/gpu': '1' },
        pods: [small, makePodInfo('it', { requests: { 'example.com/gpu': '1' } })],
      },
    },
    ['a: shrink the request of example.com/gpu to 0', 'a: remove default/it from the node a'],
  ],
  [
    'an affinity term of which the node meets a part',
    nodeAffinityOf({ key: 'size', operator: 'Gt', values: ['2'] }, { key: 'disk', operator: 'In', values: ['ssd'] }),
    { a: { labels: { size: '3' } }, b: {} },
    [
      'a: prefer the node affinity instead of requiring it',
      'a: add the label disk=ssd to the node a',
      'b: add the label size=3, disk=ssd to the node b',
    ],
  ],
  [
    'changes of which fewer are enough are left out',
    { requests: { cpu: '3' }, spec: { affinity: awayFromWeb } },
    { a: { pods: [makePodInfo('one', { labels: { app: 'web' }, requests: { cpu: '2' } })] } },
    [
      'a: shrink the request of cpu to 2 and prefer the anti-affinity to pods with app=web by kubernetes.io/hostname instead of requiring it',
      'a: remove default/one from the node a',
    ],
  ],
  ['more than any node has', { requests: { cpu: '9' } }, { a: {} }, ['a: shrink the request of cpu to 4']],
])('%s', (name, pod, nodes, expected) => {
  const found = suggestions(pod, nodes);
  if (name.startsWith('too little')) expect(found).toEqual(['a: remove default/large from the node a']);
  else expect(found).toEqual(expected);
});

const web = { app: 'web' };
const zoneTerm = { topologyKey: 'zone', labelSelector: { matchLabels: web } };
const hostTerm = { ...zoneTerm, topologyKey: 'kubernetes.io/hostname' };
const webPod = (name: string, more: PodParts = {}) => makePodInfo(name, { labels: web, ...more });
const hard = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: web },
};

describe('suggestions for affinity, spreading and volumes, each simulated', () => {
  test.each<[string, PodParts, Record<string, NodeParts>, string[]]>([
    [
      'no pod matches the affinity: remove it',
      { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [zoneTerm] } } } },
      { a: { labels: { zone: 'x' } } },
      ['a: prefer the affinity to pods with app=web by zone instead of requiring it'],
    ],
    [
      'a pod matches the anti-affinity: remove the term or the pod',
      { spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [hostTerm] } } } },
      { a: { pods: [webPod('one')] } },
      [
        'a: prefer the anti-affinity to pods with app=web by kubernetes.io/hostname instead of requiring it',
        'a: remove default/one from the node a',
      ],
    ],
    [
      'a matching pod in the same zone, but on another node: removing pods of this node would not help',
      { spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [zoneTerm] } } } },
      {
        a: { labels: { zone: 'x' }, pods: [webPod('one')] },
        b: { labels: { zone: 'x' }, unschedulable: true, pods: [webPod('two')] },
      },
      [
        'a: prefer the anti-affinity to pods with app=web by zone instead of requiring it',
        'b: uncordon the node b and prefer the anti-affinity to pods with app=web by zone instead of requiring it',
      ],
    ],
    [
      'a pod that refuses this one: it has to go',
      { labels: web },
      {
        a: {
          pods: [
            makePodInfo('hermit', {
              spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [hostTerm] } } },
            }),
          ],
        },
      },
      ['a: remove default/hermit from the node a'],
    ],
    [
      'too many in the zone: the least skew that would do',
      { labels: web, spec: { topologySpreadConstraints: [hard] } },
      {
        a: { labels: { zone: 'x' }, pods: [webPod('one'), webPod('two')] },
        b: { labels: { zone: 'y' }, taints: [taint] },
      },
      [
        'a: raise maxSkew to 3 over zone',
        'b: tolerate the taint gpu=yes:NoSchedule',
        'a: let the spread over zone be uneven (whenUnsatisfiable: ScheduleAnyway)',
      ],
    ],
    [
      'a node in no zone',
      { labels: web, spec: { topologySpreadConstraints: [hard] } },
      { a: {}, b: { labels: { zone: 'y' }, unschedulable: true } },
      [
        'a: let the spread over zone be uneven (whenUnsatisfiable: ScheduleAnyway)',
        'a: add the label zone=y to the node a',
        'b: uncordon the node b',
      ],
    ],
    [
      'no node in any zone',
      { labels: web, spec: { topologySpreadConstraints: [hard] } },
      { a: {} },
      [
        'a: let the spread over zone be uneven (whenUnsatisfiable: ScheduleAnyway)',
        'a: add the label zone=a to the node a',
      ],
    ],
    [
      'a volume that cannot be had',
      { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'lost' } }] } },
      { a: {} },
      ['a: use other volumes than data (claim lost): without them the pod would run'],
    ],
  ])('%s', (_name, pod, nodes, expected) => {
    expect(suggestions(pod, nodes)).toEqual(expected);
  });
});

test('every plugin that refuses a node is named, and nodes that fit are ranked', () => {
  const explained = explainPod({
    pod: makePodInfo('web', { requests: { cpu: '2' } }),
    nodes: [makeNodeInfo('full', { taints: [taint], pods: [large] }), makeNodeInfo('free')],
    profile,
  });
  expect(explained.map(({ node }) => node)).toEqual(['free', 'full']);
  expect(explained[0]?.scores).toMatchObject({ NodeResourcesFit: expect.any(Number) });
  expect(explained[1]?.refusals.map(({ plugin }) => plugin)).toEqual(['TaintToleration', 'NodeResourcesFit']);
});

test('the error of a plugin is its verdict of the node', () => {
  const failing = {
    name: 'Devices',
    filter: () => {
      throw new Error('the pool is invalid');
    },
  };
  const explained = explainPod({
    pod: makePodInfo('web', {}),
    nodes: [makeNodeInfo('n')],
    profile: makeProfile([prioritySort, failing].map((plugin) => ({ plugin }))),
  });
  expect(explained[0]?.refusals).toEqual([
    { plugin: 'Devices', reasons: ['the pool is invalid'], isResolvable: false },
  ]);
});

test('the record of attempts is bounded', () => {
  const log = new AttemptLog();
  for (let at = 0; at < 20; at++) log.add('a', { at, outcome: 'error', message: '' });
  expect(log.of('a').map(({ at }) => at)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  for (let at = 0; at < 3_000; at++) log.add(`pod-${at}`, { at, outcome: 'bound', node: 'n' });
  expect(log.of('a')).toEqual([]);
  expect(log.of('pod-2999')).toHaveLength(1);
});
