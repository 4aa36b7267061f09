import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import { type PodInfo, podInfoOf } from '../cache/pod-info.js';
import type { DeviceOverlay } from '../plugins/devices/device-listers.js';
import type { VolumeOverlay } from '../plugins/volumes/volume-listers.js';

/** A simulated state of a pod, a node, volumes and devices. */
export interface Trial {
  readonly pod: PodInfo;
  readonly node: NodeInfo;
  readonly volumes?: VolumeOverlay;
  readonly devices?: DeviceOverlay;
}

export interface Change {
  /** The action of the user. */
  readonly text: string;
  /** The cost of the change: changes of the pod alone cost least. */
  readonly cost: number;
  apply(trial: Trial): Trial;
}

/** With another spec of the pod. */
export function withSpec(trial: Trial, change: (spec: NonNullable<Pod['spec']>) => NonNullable<Pod['spec']>): Trial {
  const { pod } = trial.pod;
  return { ...trial, pod: podInfoOf({ ...pod, spec: change(pod.spec ?? { containers: [] }) }) };
}

/** With another node object. */
export function withNode(trial: Trial, change: (node: NodeInfo['node']) => NodeInfo['node']): Trial {
  const copy = trial.node.clone();
  copy.setNode(change(copy.node));
  return { ...trial, node: copy };
}

/** With more labels on the node. */
export function withLabels(trial: Trial, labels: Readonly<Record<string, string>>): Trial {
  return withNode(trial, (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
  }));
}

/** With other claims, volumes or classes. */
export function withVolumes(trial: Trial, { claims = [], volumes = [], classes = [] }: VolumeOverlay): Trial {
  const before = trial.volumes ?? {};
  return {
    ...trial,
    volumes: {
      claims: [...claims, ...(before.claims ?? [])],
      volumes: [...volumes, ...(before.volumes ?? [])],
      classes: [...classes, ...(before.classes ?? [])],
    },
  };
}

/** With other resource claims or device classes, or with released devices. */
export function withDevices(trial: Trial, { claims = [], classes = [], freed = [] }: DeviceOverlay): Trial {
  const before = trial.devices ?? {};
  return {
    ...trial,
    devices: {
      claims: [...claims, ...(before.claims ?? [])],
      classes: [...classes, ...(before.classes ?? [])],
      freed: [...new Set([...freed, ...(before.freed ?? [])])],
    },
  };
}

/** With these pods removed from the node. */
export function without(trial: Trial, going: readonly PodInfo[]): Trial {
  const copy = trial.node.clone();
  for (const { uid } of going) copy.removePod(uid);
  return { ...trial, node: copy };
}
