import { type Cgroup, type CgroupSource, cgroupsOf, podLabels } from './cadvisor-cgroups.js';
import { type MetricFamily, type MetricSample, renderFamilies } from './exposition.js';
import type { HostStats } from './host-stats.js';
import type { PodStats, Summary } from './summary.js';

/** One metric of a cgroup: its help text, and how it is read. */
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
  container_fs_limit_bytes: [
    'gauge',
    'Number of bytes that can be consumed by the container on this filesystem.',
    ({ stats }) => stats.rootfs?.capacityBytes,
  ],
  container_fs_inodes_total: ['gauge', 'Number of Inodes', ({ stats }) => stats.rootfs?.inodes],
  container_start_time_seconds: [
    'gauge',
    'Start time of the container since unix epoch in seconds.',
    ({ stats }) => (stats.startTime ? Date.parse(stats.startTime) / 1_000 : undefined),
  ],
  container_spec_cpu_period: ['gauge', 'CPU period of the container.', ({ resources }) => resources?.cpuPeriod],
  container_spec_cpu_quota: ['gauge', 'CPU quota of the container.', ({ resources }) => resources?.cpuQuota],
  container_spec_cpu_shares: ['gauge', 'CPU share of the container.', ({ resources }) => resources?.cpuShares],
  container_spec_memory_limit_bytes: [
    'gauge',
    'Memory limit for the container.',
    ({ resources }) => resources && (resources.memoryLimitInBytes ?? 0),
  ],
};

/** `/metrics/cadvisor`: the resource usage of containers, pods and the machine, with cAdvisor's names. */
export function cadvisorMetrics(summary: Summary, host: HostStats, source: CgroupSource): string {
  const cgroups = cgroupsOf(summary, source);
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
  const seen: MetricFamily = {
    name: 'container_last_seen',
    type: 'gauge',
    help: 'Last time a container was seen by the exporter',
    samples: cgroups.map(({ labels }) => ({ labels, value: Math.floor(host.at / 1_000), at: host.at })),
  };
  return renderFamilies([
    ...families,
    seen,
    ...networkFamilies(summary.pods, host.at, source),
    ...machineFamilies(host),
  ]);
}

function labelsFor(name: string, { labels }: Cgroup): Readonly<Record<string, string>> {
  return name === 'container_cpu_usage_seconds_total' ? { ...labels, cpu: 'total' } : labels;
}

function networkFamilies(pods: readonly PodStats[], at: number, source: CgroupSource): MetricFamily[] {
  const byUid = new Map(source.pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const family = (
    name: string,
    help: string,
    read: (one: NonNullable<PodStats['network']>['interfaces'][number]) => number | undefined,
  ) => ({
    name,
    type: 'counter' as const,
    help,
    samples: pods.flatMap((stats) => {
      const labels = podLabels(stats, byUid.get(stats.podRef.uid), source);
      const interfaces = stats.network?.interfaces ?? [];
      return interfaces.map((one) => ({ labels: { ...labels, interface: one.name }, value: read(one), at }));
    }),
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
