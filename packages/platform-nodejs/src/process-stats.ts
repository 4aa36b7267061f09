import { readdirSync } from 'node:fs';

/** Resource usage of this process, for `/metrics`. */
export function readProcessStats(): {
  cpuSeconds: number;
  residentBytes: number;
  startTimeSeconds: number;
  openFiles?: number;
} {
  const { user, system } = process.cpuUsage();
  const openFiles = countOpenFiles();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startTimeSeconds: performance.timeOrigin / 1000,
    ...(openFiles !== undefined && { openFiles }),
  };
}

/** Linux only. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
