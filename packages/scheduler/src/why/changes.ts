import { type Container, toleratesAny } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import type { HostPort, PodInfo } from '../cache/pod-info.js';
import { deviceChanges } from './device-changes.js';
import type { Situation } from './explain-pod.js';
import { nodeAffinityChanges } from './node-affinity-changes.js';
import { affinityChanges, spreadChanges } from './topology-changes.js';
import { type Change, type Trial, withNode, without, withSpec } from './trial.js';
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
  NodeResourcesFit: (trial) => [...shrink(trial), ...makeRoom(trial)],
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

/** Requests of the largest container that are cut down to what is left of the node. */
function shrink({ pod, node }: Trial): Change[] {
  const freeCpu = node.allocatable.milliCpu - node.requested.milliCpu;
  const freeMemory = node.allocatable.memory - node.requested.memory;
  const overCpu = pod.requests.milliCpu - freeCpu;
  const overMemory = pod.requests.memory - freeMemory;
  const parts = [
    ...(overCpu > 0 ? [{ resource: 'cpu', left: Quantity.ofMilli(Math.max(0, freeCpu)) }] : []),
    ...(overMemory > 0 ? [{ resource: 'memory', left: Quantity.of(Math.max(0, freeMemory), 'BinarySI') }] : []),
  ];
  const [only, ...others] = pod.pod.spec?.containers ?? [];
  if (parts.length === 0 || !only || others.length > 0 || parts.some(({ left }) => left.isZero)) return [];
  const shown = parts.map(({ resource, left }) => `${resource} to ${left}`).join(' and ');
  const requests = Object.fromEntries(parts.map(({ resource, left }) => [resource, left.toString()]));
  return [
    {
      text: `shrink the request of ${shown}`,
      cost: 1.5,
      apply: (trial) => withSpec(trial, (spec) => ({ ...spec, containers: [withRequests(only, requests)] })),
    },
  ];
}

function withRequests(container: Container, requests: Record<string, string>): Container {
  const { resources } = container;
  return { ...container, resources: { ...resources, requests: { ...resources?.requests, ...requests } } };
}

/** The fewest pods that would have to go, those of the lowest priority and the largest ones first. */
function makeRoom({ pod, node }: Trial): Change[] {
  const needed = {
    milliCpu: pod.requests.milliCpu - (node.allocatable.milliCpu - node.requested.milliCpu),
    memory: pod.requests.memory - (node.allocatable.memory - node.requested.memory),
  };
  const isEnough = (pods: readonly PodInfo[]) =>
    pods.length > 0 &&
    sum(pods, ({ requests }) => requests.milliCpu) >= needed.milliCpu &&
    sum(pods, ({ requests }) => requests.memory) >= needed.memory;
  const sorted = [...node.pods.values()].sort(
    (a, b) => a.priority - b.priority || b.requests.milliCpu - a.requests.milliCpu,
  );
  const count = sorted.findIndex((_, index) => isEnough(sorted.slice(0, index + 1))) + 1;
  const going = sorted.slice(0, count || sorted.length);
  // Those that were taken first may be too small to matter.
  for (const other of [...going])
    if (isEnough(going.filter((one) => one !== other))) going.splice(going.indexOf(other), 1);
  return removePods({ pod, node }, going);
}

function sum(pods: readonly PodInfo[], amount: (pod: PodInfo) => number): number {
  return pods.reduce((total, one) => total + amount(one), 0);
}

/** Pods that have a port of the host that this one requests. */
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

function removePods({ pod, node }: Trial, going: readonly PodInfo[]): Change[] {
  if (going.length === 0) return [];
  const isPreemption = going.every(({ priority }) => priority < pod.priority);
  const names = going.map(({ key }) => key).join(', ');
  return [
    {
      text: `${isPreemption ? 'preempt' : 'remove'} ${names} from the node ${node.name}`,
      cost: 2 + going.length,
      apply: (trial) => without(trial, going),
    },
  ];
}
