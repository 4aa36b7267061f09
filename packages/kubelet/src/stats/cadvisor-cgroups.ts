import type { Pod } from '@coracle/api';
import type { LinuxContainerResources } from '@coracle/cri';
import { cgroupPath } from '../cgroups/cgroup-name.js';
import { podCgroup } from '../cgroups/plan-cgroups.js';
import { containerResources } from '../runtime-config/linux-resources.js';
import type { KubeletSettings } from '../settings.js';
import type { ContainerStats, PodStats, Summary } from './summary.js';

/** A cgroup, as cAdvisor labels it, and what it uses. */
export interface Cgroup {
  readonly labels: Readonly<Record<string, string>>;
  readonly stats: Pick<ContainerStats, 'cpu' | 'memory' | 'swap'> &
    Partial<Pick<ContainerStats, 'rootfs' | 'startTime'>>;
  /** What it may use, if it is the cgroup of a container. */
  readonly resources?: LinuxContainerResources | undefined;
}

export interface CgroupSource {
  /** With their statuses. */
  readonly pods: readonly Pod[];
  readonly settings: Pick<KubeletSettings, 'cgroupDriver' | 'cgroupRoot' | 'cpuCFSQuota' | 'cpuCFSQuotaPeriod'>;
}

/** What is unknown of a cgroup is an empty label: all metrics have the same labels. */
export const noLabels = { container: '', image: '', name: '', namespace: '', pod: '' };

/** The cgroups of the machine, of pods and of containers. */
export function cgroupsOf({ node, pods }: Summary, source: CgroupSource): Cgroup[] {
  const byUid = new Map(source.pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  return [
    { labels: { ...noLabels, id: '/' }, stats: node },
    ...pods.flatMap((stats) => {
      const pod = byUid.get(stats.podRef.uid);
      const labels = podLabels(stats, pod, source);
      return [{ labels, stats }, ...stats.containers.map((one) => containerCgroup(one, { labels, pod, source }))];
    }),
  ];
}

export function podLabels(
  { podRef: { namespace, name, uid } }: PodStats,
  pod: Pod | undefined,
  { settings }: CgroupSource,
): Cgroup['labels'] & { readonly id: string } {
  const path = podCgroup(settings.cgroupRoot, pod ?? { metadata: { uid } });
  return { ...noLabels, id: cgroupPath(settings.cgroupDriver, path), namespace, pod: name };
}

interface OfPod {
  readonly labels: Cgroup['labels'] & { readonly id: string };
  readonly pod: Pod | undefined;
  readonly source: CgroupSource;
}

function containerCgroup(stats: ContainerStats, { labels, pod, source: { settings } }: OfPod): Cgroup {
  const { name: container } = stats;
  const { containerID = '', image = '' } = statusOf(pod, container) ?? {};
  // As the runtimes name it: `containerd://<id>` is in `cri-containerd-<id>.scope` under systemd.
  const [, runtime = '', name = ''] = /^(.*?):\/\/(.*)$/.exec(containerID) ?? [];
  const child = settings.cgroupDriver === 'systemd' ? `cri-${runtime}-${name}.scope` : name;
  return {
    labels: { ...labels, container, id: `${labels.id}/${child}`, image, name },
    stats,
    resources: pod && resourcesOf(pod, container, settings),
  };
}

function statusOf({ status }: Pod | { readonly status?: undefined } = {}, container: string) {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}

function resourcesOf(pod: Pod, name: string, settings: CgroupSource['settings']): LinuxContainerResources | undefined {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const container = [...containers, ...initContainers].find((one) => one.name === name);
  const cpu = { cpuCfsQuota: settings.cpuCFSQuota, cpuCfsQuotaPeriod: settings.cpuCFSQuotaPeriod * 1_000 };
  return container && containerResources(container, { ...cpu, pod, memoryCapacity: Number.POSITIVE_INFINITY });
}
