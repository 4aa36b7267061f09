import { expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import { makeProfile } from '../framework/profile.js';
import { nodeAffinity } from '../plugins/node-affinity.js';
import { nodeResourcesFit } from '../plugins/node-resources-fit.js';
import { nodeUnschedulable } from '../plugins/node-unschedulable.js';
import { prioritySort } from '../plugins/priority-sort.js';
import { taintToleration } from '../plugins/taint-toleration.js';
import { AttemptLog } from './attempt-log.js';
import { explainPod } from './explain-pod.js';
import { suggestChanges } from './suggest-changes.js';

const profile = makeProfile(
  [prioritySort, nodeUnschedulable, taintToleration, nodeAffinity(undefined), nodeResourcesFit(undefined)].map(
    (plugin) => ({ plugin }),
  ),
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
    'too little room: ask for less, or let others go',
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
  ['more than any node has', { requests: { cpu: '9' } }, { a: {} }, ['a: shrink the request of cpu to 4']],
])('%s', (name, pod, nodes, expected) => {
  const found = suggestions(pod, nodes);
  if (name.startsWith('too little')) expect(found).toEqual(['a: remove default/small, default/large from the node a']);
  else expect(found).toEqual(expected);
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

test('the record of attempts is bounded', () => {
  const log = new AttemptLog();
  for (let at = 0; at < 20; at++) log.add('a', { at, outcome: 'error', message: '' });
  expect(log.of('a').map(({ at }) => at)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  for (let at = 0; at < 3_000; at++) log.add(`pod-${at}`, { at, outcome: 'bound', node: 'n' });
  expect(log.of('a')).toEqual([]);
  expect(log.of('pod-2999')).toHaveLength(1);
});
