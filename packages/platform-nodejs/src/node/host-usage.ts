import { readFile, statfs } from 'node:fs/promises';
import { type Clock, monotonicNow } from '@coracle/base';
import type { FilesystemRoom, HostUsage, HostUsageSource, Room } from '@coracle/kubelet';

export interface HostUsageOptions {
  readonly clock: Clock;
  /** Directory of volumes and logs. */
  readonly rootDirectory: string;
  /** Directory of the runtime's images, once it has reported it. */
  readonly imageDirectory: () => Promise<string | undefined>;
}

/** Measures this machine. */
export function createHostUsage({ clock, rootDirectory, imageDirectory }: HostUsageOptions): HostUsageSource {
  return {
    async read(): Promise<HostUsage> {
      const [memory, processes, node, image] = await Promise.all([
        memoryRoom(),
        processRoom(),
        filesystemRoom(rootDirectory),
        imageDirectory().then((folder) => (folder ? filesystemRoom(folder) : undefined)),
      ]);
      return {
        at: monotonicNow(clock),
        memory,
        processes,
        nodeFilesystem: node.room,
        ...(image && image.id !== node.id && { imageFilesystem: image.room }),
      };
    },
  };
}

async function memoryRoom(): Promise<Room> {
  const text = await readFile('/proc/meminfo', 'utf8');
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { capacity: bytesOf('MemTotal'), available: bytesOf('MemAvailable') };
}

async function processRoom(): Promise<Room> {
  const [limit, load] = await Promise.all([
    readFile('/proc/sys/kernel/pid_max', 'utf8'),
    readFile('/proc/loadavg', 'utf8'),
  ]);
  const running = Number(load.split(' ')[3]?.split('/')[1] ?? 0);
  return { capacity: Number(limit), available: Math.max(0, Number(limit) - running) };
}

async function filesystemRoom(path: string): Promise<{ readonly id: string; readonly room: FilesystemRoom }> {
  const { type, bsize, blocks, bavail, files, ffree } = await statfs(path);
  const room = {
    bytes: { capacity: blocks * bsize, available: bavail * bsize },
    inodes: { capacity: files, available: ffree },
  };
  // Two paths on one filesystem have the same values.
  return { id: [type, bsize, blocks, files].join('/'), room };
}
