import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@coracle/cri';
import type { FsStats } from '../fs-stats.js';
import { podUidLabel } from '../runtime-labels.js';
import type { MetricFamily } from './exposition.js';
import type { PodStats } from './summary.js';

/** The state of a pod in its kubelet. */
export interface WorkingPod {
  readonly lifecycle: 'sync' | 'terminated' | 'terminating';
  /** No source has it any more. */
  readonly isOrphan: boolean;
  readonly isStatic: boolean;
}

export interface KubeletState {
  readonly nodeName: string;
  readonly pods: readonly WorkingPod[];
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly Container[];
  /** The usage of pods, with their volumes. */
  readonly usage: readonly PodStats[];
}

/** The state of a kubelet now, as metrics. */
export function kubeletStateFamilies({ nodeName, pods, sandboxes, containers, usage }: KubeletState): MetricFamily[] {
  const running = sandboxes.filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
  const runningPods = new Set(running.map(({ id, labels }) => labels?.[podUidLabel] ?? id));
  return [
    gauge('node_name', "The node's name. The count is always 1.", [{ labels: { node: nodeName }, value: 1 }]),
    gauge('running_pods', 'Number of pods that have a running pod sandbox', [{ value: runningPods.size }]),
    gauge('running_containers', 'Number of containers currently running', counted(containers.map(stateLabels))),
    gauge(
      'desired_pods',
      'The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.',
      counted(pods.filter(({ isOrphan }) => !isOrphan).map(staticLabel)),
    ),
    gauge(
      'active_pods',
      'The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.',
      counted(pods.filter(({ isOrphan, lifecycle }) => !isOrphan && lifecycle !== 'terminated').map(staticLabel)),
    ),
    gauge(
      'working_pods',
      'Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static. An orphaned pod has been removed from local configuration or force deleted in the API and consumes resources that are not otherwise visible.',
      counted(pods.map(workLabels)),
    ),
    ...volumeFamilies(usage),
  ];
}

function gauge(name: string, help: string, samples: MetricFamily['samples']): MetricFamily {
  return { name: `kubelet_${name}`, type: 'gauge', help: `[ALPHA] ${help}`, samples };
}

const stateNames: Readonly<Record<number, string>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
};

function stateLabels({ state = ContainerState.CONTAINER_CREATED }: Container) {
  return { container_state: stateNames[state] ?? 'unknown' };
}

function staticLabel({ isStatic }: WorkingPod) {
  return { static: isStatic ? 'true' : '' };
}

function workLabels(pod: WorkingPod) {
  return { config: pod.isOrphan ? 'orphan' : 'desired', lifecycle: pod.lifecycle, ...staticLabel(pod) };
}

/** How often each combination of labels occurs. */
function counted(all: readonly Readonly<Record<string, string>>[]): MetricFamily['samples'] {
  const counts = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();
  for (const labels of all) {
    const key = Object.values(labels).join('/');
    const count = counts.get(key) ?? { labels, value: 0 };
    count.value++;
    counts.set(key, count);
  }
  return [...counts.values()];
}

const volumeReadings: readonly (readonly [name: string, help: string, read: (stats: FsStats) => number | undefined])[] =
  [
    ['available_bytes', 'Number of available bytes in the volume', ({ availableBytes }) => availableBytes],
    ['capacity_bytes', 'Capacity in bytes of the volume', ({ capacityBytes }) => capacityBytes],
    ['inodes', 'Maximum number of inodes in the volume', ({ inodes }) => inodes],
    ['inodes_free', 'Number of free inodes in the volume', ({ inodesFree }) => inodesFree],
    ['inodes_used', 'Number of used inodes in the volume', ({ inodesUsed }) => inodesUsed],
    ['used_bytes', 'Number of used bytes in the volume', ({ usedBytes }) => usedBytes],
  ];

/** The volumes of claims; one that several pods use is shown once. */
function volumeFamilies(usage: readonly PodStats[]): MetricFamily[] {
  const claims = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly stats: FsStats }>();
  for (const stats of usage.flatMap(({ volume = [] }) => volume)) {
    if (!stats.pvcRef) continue;
    const { name, namespace } = stats.pvcRef;
    claims.set(`${namespace}/${name}`, { labels: { namespace, persistentvolumeclaim: name }, stats });
  }
  return volumeReadings.map(([name, help, read]) =>
    gauge(
      `volume_stats_${name}`,
      help,
      [...claims.values()].map(({ labels, stats }) => ({ labels, value: read(stats) })),
    ),
  );
}
