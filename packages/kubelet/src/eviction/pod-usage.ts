import type { Pod } from '@coracle/api';
import type { ContainerStats, RuntimeService } from '@coracle/cri';
import { readSandboxStats } from '../stats/sandbox-stats.js';
import { mountedVolumes, volumeDirectory } from '../volumes/volume-directory.js';

/** What a part of a pod uses of disks. */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/** What a pod uses of its node. */
export interface PodUsage {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly containers: ReadonlyMap<string, { readonly memoryBytes: number; readonly layer: DiskUsage }>;
  /** Its own volumes on the node's disk, by name. */
  readonly volumes: ReadonlyMap<string, DiskUsage>;
}

/** Measures a directory; `undefined` where that is not possible. */
export type MeasureDirectory = ((directory: string) => Promise<DiskUsage>) | undefined;

/** What each pod uses, by uid; without those that the runtime does not report. */
export async function readPodUsage(
  runtime: RuntimeService,
  pods: readonly Pod[],
  measure: MeasureDirectory,
): Promise<Map<string, PodUsage>> {
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const usage = new Map<string, PodUsage>();
  for (const [uid, { linux }] of await readSandboxStats(runtime)) {
    const pod = byUid.get(uid);
    if (!pod || !linux) continue;
    const containers = new Map((linux.containers ?? []).map((one) => [nameOf(one), containerUsage(one)]));
    const summed = [...containers.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    usage.set(uid, {
      memoryBytes: linux.memory?.workingSetBytes?.value ?? summed,
      processes: linux.process?.processCount?.value ?? 0,
      containers,
      volumes: await volumeUsage(pod, measure),
    });
  }
  return usage;
}

function nameOf({ attributes }: ContainerStats): string {
  return attributes?.metadata?.name ?? '';
}

function containerUsage({ memory, writableLayer }: ContainerStats) {
  const { usedBytes, inodesUsed } = writableLayer ?? {};
  return {
    memoryBytes: memory?.workingSetBytes?.value ?? 0,
    layer: { bytes: usedBytes?.value ?? 0, inodes: inodesUsed?.value ?? 0 },
  };
}

async function volumeUsage(pod: Pod, measure: MeasureDirectory): Promise<Map<string, DiskUsage>> {
  const local = mountedVolumes(pod).filter(({ emptyDir }) => emptyDir && emptyDir.medium !== 'Memory');
  if (!measure || local.length === 0) return new Map();
  const measured = local.map(async (volume) => [volume.name, await measure(volumeDirectory(pod, volume))] as const);
  return new Map(await Promise.all(measured));
}

/** Everything that the pod has on disks. */
export function diskUsageOf({ containers, volumes }: PodUsage): DiskUsage {
  const parts = [...[...containers.values()].map(({ layer }) => layer), ...volumes.values()];
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    inodes: parts.reduce((sum, { inodes }) => sum + inodes, 0),
  };
}
