import type { Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type {
  CpuUsage,
  MemoryUsage,
  NetworkUsage,
  PodSandboxStats,
  ContainerStats as RuntimeContainerStats,
  SwapUsage,
} from '@coracle/cri';
import type { FsStats } from '../fs-stats.js';
import type { DirectorySize } from '../volumes/volume-host.js';
import type { HostStats } from './host-stats.js';
import type {
  ContainerStats,
  CpuStats,
  MemoryStats,
  NetworkStats,
  NodeStats,
  PodStats,
  Summary,
  SwapStats,
  VolumeStats,
} from './summary.js';

/** The statistics of one pod. */
export interface PodMeasurement {
  readonly pod: Pod;
  readonly stats: PodSandboxStats;
  /** By the name of the volume. */
  readonly volumes: ReadonlyMap<string, Omit<FsStats, 'time'>>;
  /** By container. */
  readonly logs: ReadonlyMap<string, DirectorySize>;
}

export interface SummaryInput {
  readonly nodeName: string;
  readonly host: HostStats;
  readonly pods: readonly PodMeasurement[];
  readonly onlyCpuAndMemory: boolean;
  /** Computes the usage per second from a total: by key, total in nanoseconds, time. */
  readonly rateOf: (key: string, total: number, at: Millis) => number | undefined;
}

/** With the time of the host's measurement as text, because most values have it. */
interface SummaryContext extends SummaryInput {
  readonly time: string;
}

/** The statistics of a node and its pods, for `/stats/summary`. */
export function computeSummary(input: SummaryInput): Summary {
  const context = { ...input, time: formatTime(input.host.at) };
  return { node: nodeStats(context), pods: input.pods.map((measurement) => podStats(context, measurement)) };
}

function nodeStats({ nodeName, host, time, onlyCpuAndMemory, rateOf }: SummaryContext): NodeStats {
  const { cpu, memory, swap, systemContainers } = host;
  const total = cpu?.usageCoreNanoSeconds;
  const basic: NodeStats = {
    nodeName,
    startTime: formatTime(host.bootedAt),
    ...(cpu && { cpu: withRate({ time, ...cpu }, total === undefined ? undefined : rateOf('/', total, host.at)) }),
    ...(memory && { memory: { time, ...memory } }),
    ...(swap && { swap: { time, ...swap } }),
    ...(systemContainers && {
      systemContainers: systemContainers.map((one) => ({
        name: one.name,
        startTime: formatTime(one.startedAt),
        ...(one.cpu && { cpu: systemCpu(one.name, { time, ...one.cpu }, { rateOf, at: host.at }) }),
        ...(one.memory && { memory: { time, ...one.memory } }),
      })),
    }),
  };
  if (onlyCpuAndMemory) return basic;
  const { nodeFilesystem, imageFilesystem, processes } = host;
  const network = hostNetwork(host, time);
  return {
    ...basic,
    ...(network && { network }),
    ...(nodeFilesystem && { fs: { time, ...nodeFilesystem } }),
    ...(imageFilesystem && {
      runtime: { imageFs: { time, ...imageFilesystem }, containerFs: { time, ...imageFilesystem } },
    }),
    ...(processes && { rlimit: { time, maxpid: processes.maximum, curproc: processes.current } }),
  };
}

function systemCpu(
  name: string,
  cpu: CpuStats,
  { rateOf, at }: { readonly rateOf: SummaryInput['rateOf']; readonly at: Millis },
): CpuStats {
  return withRate(cpu, rateOf(`/system/${name}`, cpu.usageCoreNanoSeconds ?? 0, at));
}

function withRate(cpu: CpuStats, rate: number | undefined): CpuStats {
  const { usageNanoCores = rate, ...rest } = cpu;
  return { ...rest, ...(usageNanoCores !== undefined && { usageNanoCores }) };
}

function hostNetwork({ interfaces, defaultInterface }: HostStats, time: string): NetworkStats | undefined {
  if (!interfaces) return undefined;
  const main = interfaces.find(({ name }) => name === defaultInterface);
  return { time, name: '', ...main, interfaces };
}

function podStats(input: SummaryContext, measurement: PodMeasurement): PodStats {
  const { pod, stats } = measurement;
  const { name = '', namespace = '', uid = '', creationTimestamp = '' } = pod.metadata;
  const { cpu, memory, network, process: processes, containers = [] } = stats.linux ?? {};
  const own = newestOf(containers).map((one) => containerStats(input, measurement, one));
  const startTime = pod.status?.startTime ?? creationTimestamp;
  const basic: PodStats = {
    podRef: { name, namespace, uid },
    startTime,
    containers: own,
    ...podCpu(input, uid, { cpu, own }),
    ...podMemory(input, memory, own),
  };
  if (input.onlyCpuAndMemory) return basic;
  const volume = [...measurement.volumes].map(([volumeName, usage]) => volumeStats(input, pod, { volumeName, usage }));
  return {
    ...basic,
    ...(network && { network: networkStats(network, timeOf(network, input)) }),
    ...(volume.length > 0 && { volume }),
    'ephemeral-storage': ephemeralStorage(input, measurement, own),
    ...(processes?.processCount && { process_stats: { process_count: processes.processCount.value ?? 0 } }),
  };
}

/** Runtimes also report containers that have ended: only the newest instance counts, while it uses something. */
function newestOf(containers: readonly RuntimeContainerStats[]): RuntimeContainerStats[] {
  const newest = new Map<string, RuntimeContainerStats>();
  for (const one of containers) {
    const { name = '', attempt = 0 } = one.attributes?.metadata ?? {};
    const isLive = one.cpu?.usageCoreNanoSeconds ?? one.memory?.workingSetBytes;
    if (isLive && attempt >= (newest.get(name)?.attributes?.metadata?.attempt ?? 0)) newest.set(name, one);
  }
  return [...newest.values()];
}

/** CRI counts in nanoseconds since the epoch; without a timestamp the time is now. */
function timeOf(usage: { readonly timestamp?: number } | undefined, { host, time }: SummaryContext): string {
  const millis = millisOf(usage, host.at);
  return millis === host.at ? time : formatTime(millis);
}

function millisOf(usage: { readonly timestamp?: number } | undefined, now: Millis): Millis {
  return usage?.timestamp ? Math.floor(usage.timestamp / 1_000_000) : now;
}

/** The statistics of the sandbox, or the sum of its containers. */
function podCpu(
  input: SummaryContext,
  uid: string,
  { cpu, own }: { readonly cpu: CpuUsage | undefined; readonly own: readonly ContainerStats[] },
): Pick<PodStats, 'cpu'> {
  if (cpu?.usageCoreNanoSeconds) return { cpu: cpuStats(input, `/pod/${uid}`, cpu) };
  const parts = own.flatMap((one) => (one.cpu ? [one.cpu] : []));
  const [first] = parts;
  if (!first) return {};
  const sum = (of: (one: CpuStats) => number | undefined) => parts.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    cpu: {
      time: first.time,
      usageNanoCores: sum(({ usageNanoCores }) => usageNanoCores),
      usageCoreNanoSeconds: sum(({ usageCoreNanoSeconds }) => usageCoreNanoSeconds),
    },
  };
}

function podMemory(
  context: SummaryContext,
  memory: MemoryUsage | undefined,
  own: readonly ContainerStats[],
): Pick<PodStats, 'memory'> {
  const parts = own.flatMap((one) => (one.memory ? [one.memory] : []));
  const [first] = parts;
  if (memory?.workingSetBytes) return { memory: memoryStats(context, memory, first?.time) };
  if (!first) return {};
  const sum = (of: (one: MemoryStats) => number | undefined) => parts.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    memory: {
      time: first.time,
      usageBytes: sum(({ usageBytes }) => usageBytes),
      workingSetBytes: sum(({ workingSetBytes }) => workingSetBytes),
      rssBytes: sum(({ rssBytes }) => rssBytes),
      pageFaults: sum(({ pageFaults }) => pageFaults),
      majorPageFaults: sum(({ majorPageFaults }) => majorPageFaults),
    },
  };
}

function containerStats(
  input: SummaryContext,
  { pod, logs }: PodMeasurement,
  { attributes, cpu, memory, swap, writableLayer }: RuntimeContainerStats,
): ContainerStats {
  const name = attributes?.metadata?.name ?? '';
  const { time } = input;
  const key = `/pod/${pod.metadata.uid}/${name}/${attributes?.metadata?.attempt ?? 0}`;
  const basic: ContainerStats = {
    name,
    startTime: startedAt(pod, name),
    ...(cpu && { cpu: cpuStats(input, key, cpu) }),
    ...(memory && { memory: memoryStats(input, memory, time) }),
    ...(swap && { swap: swapStats(swap, time) }),
  };
  if (input.onlyCpuAndMemory) return basic;
  const log = logs.get(name);
  const layer = { usedBytes: writableLayer?.usedBytes?.value ?? 0, inodesUsed: writableLayer?.inodesUsed?.value ?? 0 };
  const { imageFilesystem, nodeFilesystem } = input.host;
  return {
    ...basic,
    rootfs: { time, ...roomOf(imageFilesystem ?? nodeFilesystem), ...layer },
    ...(log && { logs: { time, ...roomOf(nodeFilesystem), usedBytes: log.bytes, inodesUsed: log.inodes } }),
  };
}

function startedAt({ metadata, status }: Pod, name: string): string {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const found = all.find((one) => one.name === name);
  return found?.state?.running?.startedAt ?? status?.startTime ?? metadata.creationTimestamp ?? '';
}

function cpuStats(input: SummaryContext, key: string, cpu: CpuUsage): CpuStats {
  const total = cpu.usageCoreNanoSeconds?.value ?? 0;
  const measured = input.rateOf(key, total, millisOf(cpu, input.host.at));
  const usageNanoCores = cpu.usageNanoCores?.value ?? measured;
  return {
    time: timeOf(cpu, input),
    ...(usageNanoCores !== undefined && { usageNanoCores }),
    usageCoreNanoSeconds: total,
  };
}

function memoryStats(context: SummaryContext, memory: MemoryUsage, fallback = ''): MemoryStats {
  const time = memory.timestamp ? timeOf(memory, context) : fallback;
  const { availableBytes, usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults } = memory;
  return {
    time,
    ...(availableBytes && { availableBytes: availableBytes.value ?? 0 }),
    ...(usageBytes && { usageBytes: usageBytes.value ?? 0 }),
    ...(workingSetBytes && { workingSetBytes: workingSetBytes.value ?? 0 }),
    ...(rssBytes && { rssBytes: rssBytes.value ?? 0 }),
    ...(pageFaults && { pageFaults: pageFaults.value ?? 0 }),
    ...(majorPageFaults && { majorPageFaults: majorPageFaults.value ?? 0 }),
  };
}

function swapStats({ swapAvailableBytes, swapUsageBytes }: SwapUsage, time: string): SwapStats {
  return {
    time,
    ...(swapAvailableBytes && { swapAvailableBytes: swapAvailableBytes.value ?? 0 }),
    ...(swapUsageBytes && { swapUsageBytes: swapUsageBytes.value ?? 0 }),
  };
}

function networkStats({ defaultInterface, interfaces = [] }: NetworkUsage, time: string): NetworkStats {
  const flat = [...(defaultInterface ? [defaultInterface] : []), ...interfaces].map((one) => ({
    name: one.name ?? '',
    rxBytes: one.rxBytes?.value ?? 0,
    rxErrors: one.rxErrors?.value ?? 0,
    txBytes: one.txBytes?.value ?? 0,
    txErrors: one.txErrors?.value ?? 0,
  }));
  return { time, ...(flat[0] ?? { name: '' }), interfaces: flat };
}

function volumeStats(
  { time }: SummaryContext,
  { metadata, spec }: Pod,
  { volumeName, usage }: { readonly volumeName: string; readonly usage: Omit<FsStats, 'time'> },
): VolumeStats {
  const volume = spec?.volumes?.find(({ name }) => name === volumeName);
  const claim = volume?.persistentVolumeClaim?.claimName ?? (volume?.ephemeral && `${metadata.name}-${volumeName}`);
  return {
    time,
    ...usage,
    name: volumeName,
    ...(claim && { pvcRef: { name: claim, namespace: metadata.namespace ?? '' } }),
  };
}

function roomOf(filesystem: HostStats['nodeFilesystem']): Omit<FsStats, 'time'> {
  const { availableBytes, capacityBytes, inodesFree, inodes } = filesystem ?? {};
  return {
    ...(availableBytes !== undefined && { availableBytes }),
    ...(capacityBytes !== undefined && { capacityBytes }),
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
  };
}

/** Writable layers, logs, and the volumes on the node's disk. */
function ephemeralStorage(
  { host, time }: SummaryContext,
  { pod, volumes }: PodMeasurement,
  own: readonly ContainerStats[],
): FsStats {
  const local = (pod.spec?.volumes ?? []).filter(
    ({ emptyDir, configMap }) => configMap ?? (emptyDir && !emptyDir.medium),
  );
  const parts = [...own.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...local.map(({ name }) => volumes.get(name))];
  const sum = (of: (one: Omit<FsStats, 'time'>) => number | undefined) =>
    parts.reduce((total, one) => total + ((one && of(one)) ?? 0), 0);
  return {
    time,
    ...roomOf(host.nodeFilesystem),
    usedBytes: sum(({ usedBytes }) => usedBytes),
    inodesUsed: sum(({ inodesUsed }) => inodesUsed),
  };
}
