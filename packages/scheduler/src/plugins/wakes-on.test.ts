import { describe, expect, test } from 'vitest';
import { makeNode, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import type { Plugin } from '../framework/plugin.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { taintToleration } from './taint-toleration.js';

function helps({ wakesOn }: Plugin, event: ClusterEvent, pod: PodParts): boolean {
  const info = makePodInfo('p', pod);
  return wakesOn?.some((one) => one.event === event.kind && (one.helps?.(event, info) ?? true)) ?? true;
}

const added = (parts: NodeParts = {}): ClusterEvent => ({ kind: 'node-added', node: makeNode('n', parts) });
const updated = (previous: NodeParts, parts: NodeParts): ClusterEvent => ({
  kind: 'node-updated',
  node: makeNode('n', parts),
  previous: makeNode('n', previous),
});
const deleted = (pod: PodParts): ClusterEvent => ({ kind: 'pod-deleted', pod: makePodInfo('gone', pod) });
const changed = (previous: PodParts, parts: PodParts): ClusterEvent => ({
  kind: 'pod-updated',
  pod: makePodInfo('other', parts),
  previous: makePodInfo('other', previous),
});
const small = { allocatable: { cpu: '1' } };
const tainted = { taints: [{ key: 'k', effect: 'NoSchedule' }] };
const asks = { requests: { cpu: '2' } };

describe('SCH-92 an event wakes a pod only if it may help', () => {
  test.each<[string, Plugin, ClusterEvent, PodParts, boolean]>([
    ['a new node with room', nodeResourcesFit(), added(), asks, true],
    ['a new node that is too small', nodeResourcesFit(), added(small), asks, false],
    ['a node that has grown enough', nodeResourcesFit(), updated(small, {}), asks, true],
    ['a node that has not grown', nodeResourcesFit(), updated({}, { labels: { a: 'b' } }), asks, false],
    [
      'a node that has more of what the pod does not ask for',
      nodeResourcesFit(),
      updated({}, { allocatable: { memory: '16Gi' } }),
      asks,
      false,
    ],
    ['a pod that is gone', nodeResourcesFit(), deleted({}), asks, true],
    ['a pod that takes less', nodeResourcesFit(), changed(asks, { requests: { cpu: '1' } }), asks, true],
    ['a pod that takes more', nodeResourcesFit(), changed({ requests: { cpu: '1' } }, asks), asks, false],
    [
      'a pod that takes less of something else',
      nodeResourcesFit(),
      changed({ requests: { memory: '2Gi' } }, { requests: { memory: '1Gi' } }),
      asks,
      false,
    ],
    ['a pod with other labels', nodeResourcesFit(), changed(asks, { ...asks, labels: { a: 'b' } }), asks, false],
    ['a new node without taints', taintToleration, added(), {}, true],
    ['a new node with a taint', taintToleration, added(tainted), {}, false],
    ['a taint that is gone', taintToleration, updated(tainted, {}), {}, true],
    ['a node that was never tainted', taintToleration, updated({}, { labels: { a: 'b' } }), {}, false],
    ['a pod that is gone from the port', nodePorts, deleted({ hostPort: 80 }), { hostPort: 80 }, true],
    ['a pod that is gone from another port', nodePorts, deleted({ hostPort: 81 }), { hostPort: 80 }, false],
  ])('%s', (_, plugin, event, pod, expected) => {
    expect(helps(plugin, event, pod)).toBe(expected);
  });
});
