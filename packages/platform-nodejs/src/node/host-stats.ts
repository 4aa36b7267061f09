import { readFile, statfs } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Clock } from '@coracle/base';
import type { FsStats, HostStats, HostStatsSource } from '@coracle/kubelet';
import { parseCpuTotal, parseInterfaces, parseMemory, parseRoute, parseSwap } from './proc-files.js';

export interface HostStatsOptions {
  readonly clock: Clock;
  /** Directory of volumes and logs. */
  readonly rootDirectory: string;
  /** Directory of the runtime's images, once it has reported it. */
  readonly imageDirectory: () => Promise<string | undefined>;
}

/** Measures this machine for its statistics, from `/proc` and its filesystems. */
export function createHostStats({ clock, rootDirectory, imageDirectory }: HostStatsOptions): HostStatsSource {
  return {
    async readStats(): Promise<HostStats> {
      const images = await imageDirectory();
      const [cpu, meminfo, vmstat, devices, routes, pidMax, load, nodeFilesystem, imageFilesystem] = await Promise.all([
        readFile('/proc/stat', 'utf8'),
        readFile('/proc/meminfo', 'utf8'),
        readFile('/proc/vmstat', 'utf8'),
        readFile('/proc/net/dev', 'utf8'),
        readFile('/proc/net/route', 'utf8').catch(() => ''),
        readFile('/proc/sys/kernel/pid_max', 'utf8'),
        readFile('/proc/loadavg', 'utf8'),
        filesystem(rootDirectory),
        images === undefined ? undefined : filesystem(images),
      ]);
      const { total, ...memory } = parseMemory(meminfo, vmstat);
      const defaultInterface = parseRoute(routes);
      return {
        at: clock.now(),
        bootedAt: Number(/^btime (\d+)$/m.exec(cpu)?.[1] ?? 0) * 1_000,
        cpu: { usageCoreNanoSeconds: parseCpuTotal(cpu) },
        memory,
        swap: parseSwap(meminfo),
        interfaces: parseInterfaces(devices),
        ...(defaultInterface && { defaultInterface }),
        ...(nodeFilesystem && { nodeFilesystem }),
        ...(imageFilesystem && { imageFilesystem }),
        processes: { maximum: Number(pidMax), current: Number(load.split(' ')[3]?.split('/')[1] ?? 0) },
        cpuCores: cpus().length,
        memoryBytes: total,
      };
    },
    filesystemOf: filesystem,
  };
}

async function filesystem(path: string): Promise<Omit<FsStats, 'time'> | undefined> {
  const found = await statfs(path).catch(() => undefined);
  if (!found) return undefined;
  const { bsize, blocks, bavail, bfree, files, ffree } = found;
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}
