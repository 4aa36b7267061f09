import { describe, expect, test } from 'vitest';
import { makeNode, makePodInfo, type NodeParts, type PodParts } from '../builders.fixture.js';
import type { Plugin } from '../framework/plugin.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import { deviceChangeHelps } from './devices/claim-changes.js';
import { interPodAffinity } from './inter-pod-affinity.js';
import { nodePorts } from './node-ports.js';
import { nodeResourcesFit } from './node-resources-fit.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { podTopologySpread } from './pod-topology-spread.js';
import { taintToleration } from './taint-toleration.js';
import { changesOf, podsWithVolumes, resourceChanges } from './volumes/volume-changes.js';

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

const affinity = interPodAffinity({ labelsOf: () => ({}), version: () => 0 });
const zone = 'zone';
const term = { topologyKey: zone, labelSelector: { matchLabels: { app: 'web' } } };
const near = { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } };
const away = { spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } };
const web = { labels: { app: 'web' } };
const inZone = (name: string) => ({ labels: { zone: name } });
const placed = (pod: PodParts): ClusterEvent => ({ kind: 'pod-added', pod: makePodInfo('new', pod) });

const spread = podTopologySpread(() => undefined);
const spreading = {
  ...web,
  spec: {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: web.labels } },
    ],
  },
};

const volumes: Plugin = { name: 'volumes', wakesOn: [podsWithVolumes, resourceChanges('persistentvolumeclaims')] };
const binding: Plugin = {
  name: 'binding',
  wakesOn: changesOf('persistentvolumes', 'storageclasses', 'volumeattachments'),
};
const retopologized = (before: object[], allowedTopologies: object[]): ClusterEvent =>
  about('storageclasses', 'x', {
    type: 'updated',
    object: { metadata: { name: 'x' }, allowedTopologies },
    previous: { metadata: { name: 'x' }, allowedTopologies: before },
  });
const volume = (claimName: string) => ({ spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] } });
const devices: Plugin = { name: 'devices', wakesOn: [{ event: 'other', helps: deviceChangeHelps }] };
const claiming = { spec: { resourceClaims: [{ name: 'd', resourceClaimName: 'mine' }] } };
const about = (resource: string, name: string, change: object = {}): ClusterEvent => ({
  kind: 'other',
  resource,
  change: { type: 'added', initial: false, object: { metadata: { name, namespace: 'default' } }, ...change } as never,
});
const held = { metadata: { name: 'other', namespace: 'default' }, status: { allocation: {} } };

describe('SCH-92 an event wakes a pod only if it may help', () => {
  test.each<[string, Plugin, ClusterEvent, PodParts, boolean]>([
    ['a new node with room', nodeResourcesFit(), added(), asks, true],
    ['a new node that is too small', nodeResourcesFit(), added(small), asks, false],
    ['a node that has grown enough', nodeResourcesFit(), updated(small, {}), asks, true],
    ['a node that has not grown', nodeResourcesFit(), updated({}, { labels: { a: 'b' } }), asks, false],
    [
      'a node that has more of what the pod does not request',
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
    ['a pod to be near', affinity, placed(web), near, true],
    ['a pod that is no company', affinity, placed({}), near, false],
    ['a pod to be away from is gone', affinity, deleted(web), away, true],
    ['a pod that refused this one is gone', affinity, deleted(away), web, true],
    ['a pod that did not matter is gone', affinity, deleted({}), away, false],
    ['a pod that became company', affinity, changed({}, web), near, true],
    ['a pod that lost the label to be away from', affinity, changed(web, {}), away, true],
    ['a pod that stays company', affinity, changed(web, web), near, false],
    ['a new node in a zone', affinity, added(inZone('x')), near, true],
    ['a new node in no zone', affinity, added(), near, false],
    ['a node in another zone', affinity, updated(inZone('x'), inZone('y')), away, true],
    ['a node in the same zone', affinity, updated(inZone('x'), { ...inZone('x'), ...tainted }), away, false],
    ['a pod that is counted', spread, placed(web), spreading, true],
    ['a pod that is not counted', spread, placed({}), spreading, false],
    ['a pod that counted is gone', spread, deleted(web), spreading, true],
    ['a new domain', spread, added(inZone('x')), spreading, true],
    ['a node of no domain', spread, added(), spreading, false],
    ['a node of a domain is gone', spread, { kind: 'node-deleted', node: makeNode('n', inZone('x')) }, spreading, true],
    ['a node that moves', spread, updated(inZone('x'), inZone('y')), spreading, true],
    ['a node that has grown', spread, updated(inZone('x'), { ...inZone('x'), ...small }), spreading, false],
    ['the own claim', volumes, about('persistentvolumeclaims', 'mine'), volume('mine'), true],
    ['the claim of another', volumes, about('persistentvolumeclaims', 'other'), volume('mine'), false],
    [
      'the own claim is gone',
      volumes,
      about('persistentvolumeclaims', 'mine', { type: 'deleted' }),
      volume('mine'),
      false,
    ],
    ['a new volume', binding, about('persistentvolumes', 'x'), volume('mine'), true],
    ['a volume that is gone', binding, about('persistentvolumes', 'x', { type: 'deleted' }), volume('mine'), false],
    ['a new class', binding, about('storageclasses', 'x'), volume('mine'), true],
    ['a class in other zones', binding, retopologized([], [{}]), volume('mine'), true],
    ['a class in the same zones', binding, retopologized([{}], [{}]), volume('mine'), false],
    ['a node with other labels', binding, updated({}, inZone('x')), volume('mine'), true],
    ['a node with another taint', binding, updated({}, tainted), volume('mine'), false],
    ['an attached volume', binding, about('volumeattachments', 'x'), volume('mine'), false],
    ['a detached volume', binding, about('volumeattachments', 'x', { type: 'deleted' }), volume('mine'), true],
    ['a node that is uncordoned', nodeUnschedulable, updated({ unschedulable: true }, {}), {}, true],
    ['a node that never was cordoned', nodeUnschedulable, updated({}, tainted), {}, false],
    ['a pod with volumes is gone', volumes, deleted(volume('x')), volume('mine'), true],
    ['a pod without volumes is gone', volumes, deleted({}), volume('mine'), false],
    ['the own resource claim', devices, about('resourceclaims', 'mine'), claiming, true],
    ['the resource claim of another', devices, about('resourceclaims', 'other'), claiming, false],
    [
      'devices that are given back',
      devices,
      about('resourceclaims', 'x', { type: 'deleted', object: held }),
      claiming,
      true,
    ],
    ['new devices', devices, about('resourceslices', 'x'), claiming, true],
  ])('%s', (_, plugin, event, pod, expected) => {
    expect(helps(plugin, event, pod)).toBe(expected);
  });
});
