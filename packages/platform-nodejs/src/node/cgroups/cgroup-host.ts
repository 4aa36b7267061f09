import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CgroupHost, CgroupLimits } from '@coracle/kubelet';
import { limitsV1, limitsV2 } from './cgroup-files.js';
import { type CgroupHierarchies, readHierarchies } from './cgroup-hierarchies.js';

/** Controllers whose limits are set. */
const limited = ['cpu', 'memory', 'pids', 'hugetlb'];

/** The cgroups of this machine, as files. */
export function createCgroupHost(hierarchies: CgroupHierarchies = readHierarchies()): CgroupHost {
  const { version, mounts, mountOf } = hierarchies;
  const folders = [...new Set(limited.map(mountOf).filter((mount) => mount !== undefined))];
  return {
    version,
    async apply(path, limits) {
      for (const mount of folders) await makeCgroup(mount, path, version);
      await write(hierarchies, path, limits);
    },
    async remove(path) {
      for (let attempt = 0; attempt < 50; attempt++) {
        const left = await Promise.all(mounts.map((mount) => removeTree(join(mount, path))));
        if (left.every((gone) => gone)) return;
        await wait(20);
      }
      throw new Error(`cgroup ${path} could not be removed: something still runs in it`);
    },
    async children(path) {
      const listed = await Promise.all(mounts.map((mount) => foldersIn(join(mount, path))));
      return [...new Set(listed.flat())];
    },
  };
}

async function makeCgroup(mount: string, path: string, version: 1 | 2): Promise<void> {
  await mkdir(join(mount, path), { recursive: true });
  if (version === 1) return;
  // Controllers are delegated from each cgroup to its children.
  const parts = path.split('/').filter((part) => part !== '');
  for (let depth = 0; depth < parts.length; depth++) await handOn(join(mount, ...parts.slice(0, depth)), depth === 0);
}

/** Delegates controllers to child cgroups, as far as possible. */
async function handOn(folder: string, isRoot: boolean): Promise<void> {
  const file = join(folder, 'cgroup.subtree_control');
  for (const controller of limited) {
    const enable = () => writeFile(file, `+${controller}`);
    await enable().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EBUSY' || !isRoot) return;
      await moveProcesses(folder);
      await enable().catch(() => undefined);
    });
  }
}

/**
 * In a container the root of the hierarchy is an ordinary cgroup: it cannot delegate controllers while it contains
 * processes. They are moved to a child, as the entry points of node images do.
 */
async function moveProcesses(root: string): Promise<void> {
  const to = join(root, 'init');
  await mkdir(to, { recursive: true });
  // Processes that start meanwhile may be in either cgroup.
  for (let attempt = 0; attempt < 10; attempt++) {
    const pids = await processesIn(root);
    if (pids.length === 0) return;
    for (const pid of pids) await writeFile(join(to, 'cgroup.procs'), pid).catch(() => undefined);
  }
}

async function write({ version, mountOf }: CgroupHierarchies, path: string, limits: CgroupLimits): Promise<void> {
  for (const { controller, file, value } of version === 1 ? limitsV1(limits) : limitsV2(limits)) {
    const mount = mountOf(controller);
    if (mount !== undefined) await writeFile(join(mount, path, file), value);
  }
}

/** True when it is completely removed. */
async function removeTree(folder: string): Promise<boolean> {
  for (const name of await foldersIn(folder)) await removeTree(join(folder, name));
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    await killAll(folder);
    return false;
  }
}

async function killAll(folder: string): Promise<void> {
  for (const pid of await processesIn(folder)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has exited by itself.
    }
  }
}

async function processesIn(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
