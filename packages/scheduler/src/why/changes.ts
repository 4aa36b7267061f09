import { type Container, toleratesAny } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { affinityChanges, spreadChanges } from './topology-changes.js';
import { type Change, type Trial, withNode, without, withSpec } from './trial.js';
import { volumeChanges, volumeRoomChanges } from './volume-changes.js';

/** What could be done about the refusal of a plugin; nothing if there is no simple change. */
export function changesFor(plugin: string, trial: Trial, nodes: readonly NodeInfo[]): readonly Change[] {
  return (table[plugin] ?? nothing)(trial, nodes);
}

const nothing = (): readonly Change[] => [];

const table: Readonly<Record<string, (trial: Trial, nodes: readonly NodeInfo[]) => readonly Change[]>> = {
  TaintToleration: tolerate,
  NodeUnschedulable: uncordon,
  NodeAffinity: addLabels,
  NodeName: dropNodeName,
  NodeResourcesFit: (trial) => [...shrink(trial), ...makeRoom(trial)],
  NodePorts: makeRoom,
  InterPodAffinity: affinityChanges,
  PodTopologySpread: spreadChanges,
  VolumeBinding: volumeChanges,
  VolumeZone: volumeChanges,
  VolumeRestrictions: (trial) => [...volumeChanges(trial), ...volumeRoomChanges(trial)],
  NodeVolumeLimits: (trial) => [...volumeChanges(trial), ...volumeRoomChanges(trial)],
};

function tolerate({ pod, node }: Trial): Change[] {
  const tolerations = pod.pod.spec?.tolerations ?? [];
  const taints = (node.node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && !toleratesAny(tolerations, taint),
  );
  if (taints.length === 0) return [];
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
      apply: (trial) => withNode(trial, ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, unschedulable: false } })),
    },
  ];
}

/** The labels that the node selector requires; terms of affinity can require more than labels give. */
function addLabels({ pod, node }: Trial): Change[] {
  const missing = Object.entries(pod.pod.spec?.nodeSelector ?? {}).filter(([key, value]) => node.labels[key] !== value);
  if (missing.length === 0) return [];
  const shown = missing.map(([key, value]) => `${key}=${value}`).join(', ');
  return [
    {
      text: `add the label ${shown} to the node ${node.name}`,
      cost: 2,
      apply: (trial) =>
        withNode(trial, (one) => ({
          ...one,
          metadata: { ...one.metadata, labels: { ...one.metadata.labels, ...Object.fromEntries(missing) } },
        })),
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

/** The pods that would have to go, those of the lowest priority and the largest ones first. */
function makeRoom({ pod, node }: Trial): Change[] {
  const needed = {
    milliCpu: pod.requests.milliCpu - (node.allocatable.milliCpu - node.requested.milliCpu),
    memory: pod.requests.memory - (node.allocatable.memory - node.requested.memory),
  };
  const sorted = [...node.pods.values()].sort(
    (a, b) => a.priority - b.priority || b.requests.milliCpu - a.requests.milliCpu,
  );
  const going: PodInfo[] = [];
  for (const other of sorted) {
    if (going.length > 0 && needed.milliCpu <= 0 && needed.memory <= 0) break;
    going.push(other);
    needed.milliCpu -= other.requests.milliCpu;
    needed.memory -= other.requests.memory;
  }
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
