import type { Affinity, NodeSelectorRequirement, Taint, Toleration } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import { CycleState } from '../framework/cycle-state.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeName } from './node-name.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { schedulingGates } from './scheduling-gates.js';
import { taintToleration } from './taint-toleration.js';

const fits = { kind: 'fits' };
const none = new CycleState([]);

describe('NodeName', () => {
  test.each([
    { name: 'a pod that names no node fits', spec: {}, verdict: fits },
    { name: 'a pod fits on the node that it names', spec: { nodeName: 'a' }, verdict: fits },
    {
      name: 'and on no other',
      spec: { nodeName: 'b' },
      verdict: { kind: 'unschedulable-and-unresolvable', reasons: ["node(s) didn't match the requested node name"] },
    },
  ])('$name', ({ spec, verdict }) => {
    expect(nodeName.filter(none, makePodInfo('p', { spec }), makeNodeInfo('a'))).toEqual(verdict);
  });
});

describe('NodeUnschedulable', () => {
  const cordoned = { kind: 'unschedulable-and-unresolvable', reasons: ['node(s) were unschedulable'] };
  test.each([
    { name: 'an open node fits', node: {}, tolerations: [], verdict: fits },
    { name: 'a cordoned node does not', node: { unschedulable: true }, tolerations: [], verdict: cordoned },
    {
      name: 'unless the pod tolerates it',
      node: { unschedulable: true },
      tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
      verdict: fits,
    },
    {
      name: 'a toleration of something else does not help',
      node: { unschedulable: true },
      tolerations: [{ key: 'other', operator: 'Exists' }],
      verdict: cordoned,
    },
  ])('$name', ({ node, tolerations, verdict }) => {
    const pod = makePodInfo('p', { spec: { tolerations } });

    expect(nodeUnschedulable.filter(none, pod, makeNodeInfo('a', node))).toEqual(verdict);
  });
});

describe('TaintToleration filter', () => {
  const taint = (effect: string, value = 'v'): Taint => ({ key: 'k', value, effect });
  const cases: { name: string; taints: Taint[]; tolerations: Toleration[]; fits: boolean }[] = [
    { name: 'no taint fits', taints: [], tolerations: [], fits: true },
    { name: 'NoSchedule keeps off', taints: [taint('NoSchedule')], tolerations: [], fits: false },
    { name: 'NoExecute keeps off', taints: [taint('NoExecute')], tolerations: [], fits: false },
    { name: 'PreferNoSchedule does not', taints: [taint('PreferNoSchedule')], tolerations: [], fits: true },
    {
      name: 'an equal value is tolerated, and Equal is the default',
      taints: [taint('NoSchedule')],
      tolerations: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
      fits: true,
    },
    {
      name: 'another value is not',
      taints: [taint('NoSchedule')],
      tolerations: [{ key: 'k', value: 'w' }],
      fits: false,
    },
    {
      name: 'another effect is not',
      taints: [taint('NoSchedule')],
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
      fits: false,
    },
    {
      name: 'no key with Exists tolerates all',
      taints: [taint('NoSchedule'), taint('NoExecute')],
      tolerations: [{ operator: 'Exists' }],
      fits: true,
    },
    {
      name: 'each taint needs a toleration',
      taints: [taint('NoSchedule'), { key: 'other', effect: 'NoSchedule' }],
      tolerations: [{ key: 'k', operator: 'Exists' }],
      fits: false,
    },
    {
      name: 'Gt tolerates a greater number',
      taints: [taint('NoSchedule', '950')],
      tolerations: [{ key: 'k', operator: 'Gt', value: '900' }],
      fits: true,
    },
    {
      name: 'Gt does not tolerate an equal one',
      taints: [taint('NoSchedule', '900')],
      tolerations: [{ key: 'k', operator: 'Gt', value: '900' }],
      fits: false,
    },
    {
      name: 'Lt tolerates a smaller number',
      taints: [taint('NoSchedule', '-5')],
      tolerations: [{ key: 'k', operator: 'Lt', value: '0' }],
      fits: true,
    },
    {
      name: 'Lt does not tolerate what is no number',
      taints: [taint('NoSchedule', 'low')],
      tolerations: [{ key: 'k', operator: 'Lt', value: '0' }],
      fits: false,
    },
  ];

  test.each(cases)('$name', ({ taints, tolerations, fits: expected }) => {
    const pod = makePodInfo('p', { spec: { tolerations } });
    const verdict = taintToleration.filter(none, pod, makeNodeInfo('a', { taints }));

    expect(verdict).toEqual(
      expected ? fits : { kind: 'unschedulable-and-unresolvable', reasons: ['node(s) had untolerated taint(s)'] },
    );
  });
});

describe('NodeAffinity filter', () => {
  const labels = { disk: 'ssd', size: '4' };
  const when = (...matchExpressions: NodeSelectorRequirement[]) => required([{ matchExpressions }]);
  const required = (nodeSelectorTerms: object[]): { affinity: Affinity } => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } as Affinity,
  });
  const cases = [
    { name: 'a selector with the labels fits', spec: { nodeSelector: { disk: 'ssd' } }, fits: true },
    { name: 'a selector with one label more does not', spec: { nodeSelector: { disk: 'ssd', gpu: 'y' } }, fits: false },
    { name: 'In', spec: when({ key: 'disk', operator: 'In', values: ['hdd', 'ssd'] }), fits: true },
    { name: 'In with other values', spec: when({ key: 'disk', operator: 'In', values: ['hdd'] }), fits: false },
    { name: 'NotIn', spec: when({ key: 'disk', operator: 'NotIn', values: ['ssd'] }), fits: false },
    { name: 'NotIn of an absent label', spec: when({ key: 'gpu', operator: 'NotIn', values: ['y'] }), fits: true },
    { name: 'Exists', spec: when({ key: 'gpu', operator: 'Exists' }), fits: false },
    { name: 'DoesNotExist', spec: when({ key: 'gpu', operator: 'DoesNotExist' }), fits: true },
    { name: 'Exists of a name that is inherited', spec: when({ key: 'toString', operator: 'Exists' }), fits: false },
    { name: 'Gt', spec: when({ key: 'size', operator: 'Gt', values: ['3'] }), fits: true },
    { name: 'Gt compares numbers, not text', spec: when({ key: 'size', operator: 'Gt', values: ['10'] }), fits: false },
    { name: 'Lt', spec: when({ key: 'size', operator: 'Lt', values: ['4'] }), fits: false },
    { name: 'Gt of what is no number', spec: when({ key: 'disk', operator: 'Gt', values: ['3'] }), fits: false },
    {
      name: 'all expressions of a term must hold',
      spec: when({ key: 'disk', operator: 'Exists' }, { key: 'gpu', operator: 'Exists' }),
      fits: false,
    },
    {
      name: 'one of the terms is enough',
      spec: required([
        { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] },
        { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
      ]),
      fits: true,
    },
    { name: 'an empty term accepts nothing', spec: required([{}]), fits: false },
    {
      name: 'the name of the node',
      spec: required([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }]),
      fits: true,
    },
    {
      name: 'the selector and the affinity must both accept',
      spec: { ...when({ key: 'disk', operator: 'Exists' }), nodeSelector: { disk: 'hdd' } },
      fits: false,
    },
  ];

  test.each(cases)('$name', ({ spec, fits: expected }) => {
    const verdict = nodeAffinity().filter(none, makePodInfo('p', { spec }), makeNodeInfo('a', { labels }));

    const mismatch = {
      kind: 'unschedulable-and-unresolvable',
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
    };
    expect(verdict).toEqual(expected ? fits : mismatch);
  });

  test('nodes named by the affinity are the only candidates', () => {
    const named = (...lists: string[][]) =>
      required(lists.map((values) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] })));

    expect(nodeAffinity().preFilter(none, makePodInfo('p', { spec: named(['a'], ['b', 'c']) }), [])).toEqual({
      kind: 'ready',
      nodeNames: new Set(['a', 'b', 'c']),
    });
  });

  test('one term that names no node leaves all of them open', () => {
    const spec = required([
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
      { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
    ]);

    expect(nodeAffinity().preFilter(none, makePodInfo('p', { spec }), [])).toEqual({ kind: 'ready' });
  });

  test('conflicting node names are reported at once', () => {
    const field = (name: string) => ({ key: 'metadata.name', operator: 'In', values: [name] });
    const spec = required([{ matchFields: [field('a'), field('b')] }]);

    expect(nodeAffinity().preFilter(none, makePodInfo('p', { spec }), [])).toEqual({
      kind: 'unschedulable-and-unresolvable',
      reasons: ['pod affinity terms conflict'],
    });
  });
});

describe('NodePorts', () => {
  test('a port in use excludes the node, and eviction may help', () => {
    const node = makeNodeInfo('a', { pods: [makePodInfo('other', { hostPort: 80 })] });

    expect([80, 81].map((hostPort) => nodePorts.filter(none, makePodInfo('p', { hostPort }), node))).toEqual([
      { kind: 'unschedulable', reasons: ["node(s) didn't have free ports for the requested pod ports"] },
      fits,
    ]);
  });

  test('a pod without host ports is skipped', () => {
    expect(nodePorts.preFilter(none, makePodInfo('p'), [])).toEqual({ kind: 'skip' });
  });
});

describe('NodeResourcesFit filter', () => {
  const used = [makePodInfo('other', { requests: { cpu: '3', memory: '6Gi', 'example.com/gpu': '1' } })];
  const allocatable = { 'example.com/gpu': '2' };
  const cases: { name: string; pod: PodParts; node?: NodeParts; verdict: object }[] = [
    { name: 'a pod that requests nothing fits on a full node', pod: {}, node: { pods: used }, verdict: fits },
    { name: 'what is left fits exactly', pod: { requests: { cpu: '1', memory: '2Gi' } }, verdict: fits },
    {
      name: 'one thousandth more does not',
      pod: { requests: { cpu: '1001m' } },
      verdict: { kind: 'unschedulable', reasons: ['Insufficient cpu'] },
    },
    {
      name: 'all that is lacking is said, in a fixed order',
      pod: { requests: { 'example.com/gpu': '2', memory: '3Gi', cpu: '2' } },
      verdict: {
        kind: 'unschedulable',
        reasons: ['Insufficient cpu', 'Insufficient memory', 'Insufficient example.com/gpu'],
      },
    },
    {
      name: 'what the empty node does not have either, no eviction gives',
      pod: { requests: { cpu: '5' } },
      verdict: { kind: 'unschedulable-and-unresolvable', reasons: ['Insufficient cpu'] },
    },
    {
      name: 'an unknown resource is one that the node has none of',
      pod: { requests: { 'example.com/disk': '1' } },
      verdict: { kind: 'unschedulable-and-unresolvable', reasons: ['Insufficient example.com/disk'] },
    },
    {
      name: 'ephemeral storage counts',
      pod: { requests: { 'ephemeral-storage': '1Gi' } },
      verdict: { kind: 'unschedulable-and-unresolvable', reasons: ['Insufficient ephemeral-storage'] },
    },
    {
      name: 'the number of pods counts, and eviction may help',
      pod: {},
      node: { allocatable: { pods: '1' }, pods: used },
      verdict: { kind: 'unschedulable', reasons: ['Too many pods'] },
    },
    {
      name: 'a node that allows no pods has the same message',
      pod: {},
      node: { allocatable: { pods: '0' } },
      verdict: { kind: 'unschedulable', reasons: ['Too many pods'] },
    },
    {
      name: 'an init container counts when it requests more than all others together',
      pod: { spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '2' } } }] } },
      verdict: { kind: 'unschedulable', reasons: ['Insufficient cpu'] },
    },
    {
      name: 'overhead is added',
      pod: { requests: { cpu: '900m' }, spec: { overhead: { cpu: '200m' } } },
      verdict: { kind: 'unschedulable', reasons: ['Insufficient cpu'] },
    },
  ];

  test.each(cases)('$name', ({ pod, node = { allocatable, pods: used }, verdict }) => {
    expect(nodeResourcesFit().filter(none, makePodInfo('p', pod), makeNodeInfo('a', node))).toEqual(verdict);
  });
});

test('SchedulingGates names the gates that keep a pod out', () => {
  const pod = makePodInfo('p', { spec: { schedulingGates: [{ name: 'x' }, { name: 'y' }] } });

  expect([schedulingGates.preEnqueue(pod), schedulingGates.preEnqueue(makePodInfo('q'))]).toEqual([
    { kind: 'unschedulable-and-unresolvable', reasons: ['waiting for scheduling gates: [x y]'] },
    fits,
  ]);
});
