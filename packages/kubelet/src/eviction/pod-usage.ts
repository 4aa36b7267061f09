import type { Pod } from '@coracle/api';
import type { ContainerStats } from '@coracle/cri';
import { logSizes } from '../logs/log-directory.js';
import type { KubeletSettings } from '../settings.js';
import { readSandboxStats, type StatsRuntime } from '../stats/sandbox-stats.js';
import { mountedVolumes, volumeDirectory } from '../volumes/volume-directory.js';
import type { VolumeHost } from '../volumes/volume-host.js';

/** Disk usage of a part of a pod. */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export interface ContainerUsage {
  readonly memoryBytes: number;
  /** Usage of its writable layer and its logs. */
  readonly disk: DiskUsage;
}

/** Resource usage of a pod on its node. */
export interface PodUsage {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly containers: ReadonlyMap<string, ContainerUsage>;
  /** Usage of its volumes on the node's disk, by name. */
  readonly volumes: ReadonlyMap<string, DiskUsage>;
}

type MeasuredHost = Pick<VolumeHost, 'root' | 'measure' | 'files'>;

export interface PodUsageParts {
  readonly runtime: StatsRuntime;
  readonly settings: Pick<KubeletSettings, 'podLogsDir'>;
  /** Measures directories. */
  readonly volumeHost?: MeasuredHost | undefined;
}

/** Usage of each pod, by uid; without pods that the runtime does not report. */
export async function readPodUsage(parts: PodUsageParts, pods: readonly Pod[]): Promise<Map<string, PodUsage>> {
  const { runtime, settings, volumeHost } = parts;
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const usage = new Map<string, PodUsage>();
  for (const [uid, { linux }] of await readSandboxStats(runtime)) {
    const pod = byUid.get(uid);
    if (!pod || !linux) continue;
    const logs = await logSizes(pod, settings.podLogsDir, volumeHost);
    const containers = new Map(
      (linux.containers ?? []).map((one) => [nameOf(one), containerUsage(one, logs.get(nameOf(one)))]),
    );
    const summed = [...containers.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    usage.set(uid, {
      memoryBytes: linux.memory?.workingSetBytes?.value ?? summed,
      processes: linux.process?.processCount?.value ?? 0,
      containers,
      volumes: await volumeUsage(pod, volumeHost),
    });
  }
  return usage;
}

function nameOf({ attributes }: ContainerStats): string {
  return attributes?.metadata?.name ?? '';
}

function containerUsage({ memory, writableLayer }: ContainerStats, logs: DiskUsage = nothing): ContainerUsage {
  const { usedBytes, inodesUsed } = writableLayer ?? {};
  return {
    memoryBytes: memory?.workingSetBytes?.value ?? 0,
    disk: { bytes: (usedBytes?.value ?? 0) + logs.bytes, inodes: (inodesUsed?.value ?? 0) + logs.inodes },
  };
}

const nothing: DiskUsage = { bytes: 0, inodes: 0 };

async function volumeUsage(pod: Pod, host: MeasuredHost | undefined): Promise<Map<string, DiskUsage>> {
  const local = mountedVolumes(pod).filter(({ emptyDir }) => emptyDir && emptyDir.medium !== 'Memory');
  const sizes = new Map<string, DiskUsage>();
  if (!host?.measure) return sizes;
  for (const volume of local) sizes.set(volume.name, await host.measure(volumeDirectory(pod, volume, host.root)));
  return sizes;
}

/** Everything that the pod has on disks. */
export function diskUsageOf({ containers, volumes }: PodUsage): DiskUsage {
  const parts = [...[...containers.values()].map(({ disk }) => disk), ...volumes.values()];
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    inodes: parts.reduce((sum, { inodes }) => sum + inodes, 0),
  };
}
