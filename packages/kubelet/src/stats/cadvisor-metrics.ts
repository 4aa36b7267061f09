import { type MetricFamily, type MetricSample, renderFamilies } from './exposition.js';
import type { HostStats } from './host-stats.js';
import type { ContainerStats, PodStats, Summary } from './summary.js';

interface Cgroup {
  readonly labels: Readonly<Record<string, string>>;
  readonly stats: Pick<ContainerStats, 'cpu' | 'memory' | 'swap'> &
    Partial<Pick<ContainerStats, 'rootfs' | 'startTime'>>;
}

/** One metric of a cgroup: its help, and how it is read. */
type Reading = readonly [type: 'counter' | 'gauge', help: string, read: (cgroup: Cgroup) => number | undefined];

const readings: Readonly<Record<string, Reading>> = {
  container_cpu_usage_seconds_total: [
    'counter',
    'Cumulative cpu time consumed in seconds.',
    ({ stats }) => (stats.cpu?.usageCoreNanoSeconds === undefined ? undefined : stats.cpu.usageCoreNanoSeconds / 1e9),
  ],
  container_memory_usage_bytes: [
    'gauge',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
    ({ stats }) => stats.memory?.usageBytes,
  ],
  container_memory_working_set_bytes: [
    'gauge',
    'Current working set in bytes.',
    ({ stats }) => stats.memory?.workingSetBytes,
  ],
  container_memory_rss: ['gauge', 'Size of RSS in bytes.', ({ stats }) => stats.memory?.rssBytes],
  container_memory_swap: ['gauge', 'Container swap usage in bytes.', ({ stats }) => stats.swap?.swapUsageBytes],
  container_fs_usage_bytes: [
    'gauge',
    'Number of bytes that are consumed by the container on this filesystem.',
    ({ stats }) => stats.rootfs?.usedBytes,
  ],
  container_fs_inodes_total: ['gauge', 'Number of Inodes', ({ stats }) => stats.rootfs?.inodes],
  container_start_time_seconds: [
    'gauge',
    'Start time of the container since unix epoch in seconds.',
    ({ stats }) => (stats.startTime ? Date.parse(stats.startTime) / 1_000 : undefined),
  ],
};

/** `/metrics/cadvisor`: the resource usage of containers, pods and the machine, with cAdvisor's names. */
export function cadvisorMetrics({ node, pods }: Summary, host: HostStats): string {
  const cgroups: Cgroup[] = [
    { labels: { ...noLabels, id: '/' }, stats: node },
    ...pods.flatMap((pod) => [podCgroup(pod), ...pod.containers.map((one) => containerCgroup(pod, one))]),
  ];
  const families = Object.entries(readings).map(
    ([name, [type, help, read]]): MetricFamily => ({
      name,
      type,
      help,
      samples: cgroups.map(
        (cgroup): MetricSample => ({ labels: labelsFor(name, cgroup), value: read(cgroup), at: host.at }),
      ),
    }),
  );
  return renderFamilies([...families, ...networkFamilies(pods, host.at), ...machineFamilies(host)]);
}

const noLabels = { container: '', image: '', name: '', namespace: '', pod: '' };

function labelsFor(name: string, { labels }: Cgroup): Readonly<Record<string, string>> {
  return name === 'container_cpu_usage_seconds_total' ? { ...labels, cpu: 'total' } : labels;
}

function podCgroup(pod: PodStats): Cgroup {
  const { namespace, name, uid } = pod.podRef;
  return { labels: { ...noLabels, id: `/kubepods/pod${uid}`, namespace, pod: name }, stats: pod };
}

function containerCgroup({ podRef }: PodStats, stats: ContainerStats): Cgroup {
  const { namespace, name, uid } = podRef;
  const id = `/kubepods/pod${uid}/${stats.name}`;
  return { labels: { ...noLabels, id, container: stats.name, name: stats.name, namespace, pod: name }, stats };
}

function networkFamilies(pods: readonly PodStats[], at: number): MetricFamily[] {
  const family = (
    name: string,
    help: string,
    read: (one: NonNullable<PodStats['network']>['interfaces'][number]) => number | undefined,
  ) => ({
    name,
    type: 'counter' as const,
    help,
    samples: pods.flatMap(({ podRef, network }) =>
      (network?.interfaces ?? []).map((one) => ({
        labels: {
          ...noLabels,
          id: `/kubepods/pod${podRef.uid}`,
          interface: one.name,
          namespace: podRef.namespace,
          pod: podRef.name,
        },
        value: read(one),
        at,
      })),
    ),
  });
  return [
    family('container_network_receive_bytes_total', 'Cumulative count of bytes received', ({ rxBytes }) => rxBytes),
    family(
      'container_network_receive_errors_total',
      'Cumulative count of errors encountered while receiving',
      ({ rxErrors }) => rxErrors,
    ),
    family('container_network_transmit_bytes_total', 'Cumulative count of bytes transmitted', ({ txBytes }) => txBytes),
    family(
      'container_network_transmit_errors_total',
      'Cumulative count of errors encountered while transmitting',
      ({ txErrors }) => txErrors,
    ),
  ];
}

function machineFamilies({ cpuCores, memoryBytes }: HostStats): MetricFamily[] {
  return [
    { name: 'machine_cpu_cores', type: 'gauge', help: 'Number of logical CPU cores.', samples: [{ value: cpuCores }] },
    {
      name: 'machine_memory_bytes',
      type: 'gauge',
      help: 'Amount of memory installed on the machine.',
      samples: [{ value: memoryBytes }],
    },
  ];
}
