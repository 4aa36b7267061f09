import type { Container, Node, Pod, PodSpec, Taint } from '@coracle/api';
import { NodeInfo } from './cache/node-info.js';
import { type PodInfo, podInfoOf } from './cache/pod-info.js';
import { CycleState } from './framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from './framework/plugin.js';

export interface NodeParts {
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
  readonly taints?: Taint[];
  readonly unschedulable?: boolean;
  readonly images?: { readonly names: string[]; readonly sizeBytes: number }[];
  /** Already on the node. */
  readonly pods?: readonly PodInfo[];
}

/** A node with 4 processors, 8 GiB and room for 110 pods, unless stated. */
export function makeNode(name: string, parts: NodeParts = {}): Node {
  const { labels, allocatable, taints, unschedulable, images } = parts;
  const amounts = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) },
    status: { capacity: amounts, allocatable: amounts, ...(images && { images: [...images] }) },
  };
}

export function makeNodeInfo(name: string, parts: NodeParts = {}): NodeInfo {
  const info = new NodeInfo(makeNode(name, parts));
  for (const pod of parts.pods ?? []) info.addPod(pod);
  return info;
}

export interface PodParts {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly priority?: number;
  readonly image?: string;
  readonly hostPort?: number;
  readonly terminating?: boolean;
  readonly startTime?: string;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod['status'];
}

/** A pod of one container; its uid is its name. */
export function makePod(name: string, parts: PodParts = {}): Pod {
  const { namespace = 'default', labels, priority, terminating, startTime, spec, status } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: name,
      ...(labels && { labels }),
      ...(terminating && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { containers: [makeContainer(parts)], ...(priority !== undefined && { priority }), ...spec },
    status: { ...(startTime && { startTime }), ...status },
  };
}

function makeContainer({ image = 'app', requests, hostPort }: PodParts): Container {
  return {
    name: 'app',
    image,
    ...(requests && { resources: { requests } }),
    ...(hostPort !== undefined && { ports: [{ containerPort: 80, hostPort, protocol: 'TCP' }] }),
  };
}

export function makePodInfo(name: string, parts: PodParts = {}): PodInfo {
  return podInfoOf(makePod(name, parts));
}

/** The names of the nodes that pass the plugin's filter; `skip` if it skips the pod. */
export function fittingNodes(plugin: PreFilterPlugin & FilterPlugin, pod: PodInfo, nodes: readonly NodeInfo[]): string {
  const state = new CycleState(nodes);
  if (plugin.preFilter(state, pod, nodes).kind === 'skip') return 'skip';
  return nodes
    .filter((node) => plugin.filter(state, pod, node).kind === 'fits')
    .map(({ name }) => name)
    .join();
}
