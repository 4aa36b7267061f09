import { toleratesAny } from '@coracle/api';
import type { HostPort, PodInfo } from '../cache/pod-info.js';
import { deviceChanges } from './device-changes.js';
import type { Situation } from './explain-pod.js';
import { nodeAffinityChanges } from './node-affinity-changes.js';
import { removePods, roomChanges } from './room-changes.js';
import { affinityChanges, spreadChanges } from './topology-changes.js';
import { type Change, type Trial, withNode, withSpec } from './trial.js';
import { bindingChanges, removeSharers, useOtherVolumes, volumeRoomChanges, zoneChanges } from './volume-changes.js';

/** A change that would resolve a plugin's rejection; none if there is no simple one. */
export function changesFor(plugin: string, trial: Trial, situation: Situation): readonly Change[] {
  return (table[plugin] ?? nothing)(trial, situation);
}

const nothing = (): readonly Change[] => [];

const table: Readonly<Record<string, (trial: Trial, situation: Situation) => readonly Change[]>> = {
  TaintToleration: tolerate,
  NodeUnschedulable: uncordon,
  NodeAffinity: nodeAffinityChanges,
  NodeName: dropNodeName,
  NodeResourcesFit: roomChanges,
  NodePorts: portChanges,
  InterPodAffinity: affinityChanges,
  PodTopologySpread: (trial, { nodes }) => spreadChanges(trial, nodes),
  VolumeBinding: bindingChanges,
  VolumeZone: zoneChanges,
  VolumeRestrictions: (trial) => [...removeSharers(trial), ...useOtherVolumes(trial)],
  NodeVolumeLimits: (trial) => [...useOtherVolumes(trial), ...volumeRoomChanges(trial)],
  DynamicResources: deviceChanges,
};

/** The taint of a cordoned node, which is removed when the node is uncordoned. */
const cordonTaint = 'node.kubernetes.io/unschedulable';

function tolerate(trial: Trial): Change[] {
  const { pod, node } = trial;
  const tolerations = pod.pod.spec?.tolerations ?? [];
  const isCordoned = node.node.spec?.unschedulable === true;
  const taints = (node.node.spec?.taints ?? []).filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' &&
      !toleratesAny(tolerations, taint) &&
      !(isCordoned && taint.key === cordonTaint),
  );
  if (taints.length === 0) return isCordoned ? uncordon(trial) : [];
  const shown = taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`).join(', ');
  return [
    {
      text: `tolerate the taint ${shown}`,
      cost: 1,
      apply: (trial) =>
        withSpec(trial, (spec) => ({
          ...spec,
          tolerations: [
            ...tolerations,
            ...taints.map(({ key, effect, value }) => ({ key, operator: 'Equal', value: value ?? '', effect })),
          ],
        })),
    },
  ];
}

function uncordon({ node }: Trial): Change[] {
  return [
    {
      text: `uncordon the node ${node.name}`,
      cost: 2,
      apply: (trial) =>
        withNode(trial, ({ spec, ...rest }) => {
          const taints = (spec?.taints ?? []).filter(({ key }) => key !== cordonTaint);
          return { ...rest, spec: { ...spec, unschedulable: false, taints } };
        }),
    },
  ];
}

function dropNodeName({ node }: Trial): Change[] {
  return [
    {
      text: `ask for the node ${node.name}, or for none`,
      cost: 1,
      apply: (trial) => withSpec(trial, (spec) => ({ ...spec, nodeName: node.name })),
    },
  ];
}

/** Pods that use a host port that this pod requests. */
function portChanges({ pod, node }: Trial): Change[] {
  const isOurs = (other: PodInfo) => other.hostPorts.some((port) => portsOverlap(port, pod.hostPorts));
  const ports = pod.hostPorts.filter((port) =>
    [...node.pods.values()].some(({ hostPorts }) => portsOverlap(port, hostPorts)),
  );
  const taken = new Set(ports.map(({ port }) => port));
  return [
    {
      text: `use another host port than ${[...taken].join(', ')}`,
      cost: 1.5,
      apply: (trial) =>
        withSpec(trial, (spec) => ({
          ...spec,
          containers: spec.containers.map((container) => ({
            ...container,
            ports: (container.ports ?? []).filter(({ hostPort }) => hostPort === undefined || !taken.has(hostPort)),
          })),
        })),
    },
    ...removePods({ pod, node }, [...node.pods.values()].filter(isOurs)),
  ];
}

function portsOverlap(one: HostPort, others: readonly HostPort[]): boolean {
  const any = '0.0.0.0';
  return others.some(
    ({ ip, protocol, port }) =>
      port === one.port && protocol === one.protocol && (ip === one.ip || ip === any || one.ip === any),
  );
}
