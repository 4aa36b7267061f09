import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Every mounted cgroup hierarchy: one a controller with v1, one for all with v2. */
export function cgroupMounts(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
}

/** The cgroups at and below `path`, in all hierarchies, the innermost first. */
export function cgroupsBelow(path: string): string[] {
  return cgroupMounts().flatMap((mount) => foldersIn(join(mount, path)));
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inner.flatMap(({ name }) => foldersIn(join(folder, name))), folder];
}

/** Kills their processes, and removes them. */
export async function removeCgroups(path: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    for (const folder of cgroupsBelow(path)) removeQuietly(folder);
    if (cgroupsBelow(path).length === 0) return;
    await wait(100);
  }
}

function removeQuietly(folder: string): void {
  try {
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    rmdirSync(folder);
  } catch {
    // Its processes have not exited yet: retried.
  }
}
