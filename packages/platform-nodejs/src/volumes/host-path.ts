import type { Stats } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import type { HostPathPlan } from '@coracle/kubelet';

/** The required kind of path by type, and the error message. */
const checks: Readonly<Record<string, { readonly is: (found: Stats) => boolean; readonly what: string }>> = {
  Directory: { is: (found) => found.isDirectory(), what: 'a directory' },
  DirectoryOrCreate: { is: (found) => found.isDirectory(), what: 'a directory' },
  File: { is: (found) => found.isFile(), what: 'a file' },
  FileOrCreate: { is: (found) => found.isFile(), what: 'a file' },
  Socket: { is: (found) => found.isSocket(), what: 'a socket file' },
  CharDevice: { is: (found) => found.isCharacterDevice(), what: 'a character device' },
  BlockDevice: { is: (found) => found.isBlockDevice(), what: 'a block device' },
};

/** Checks the type of a path, and makes what may be made. */
export async function setUpHostPath({ path, type }: HostPathPlan): Promise<void> {
  if (type === '') return;
  const check = checks[type];
  if (!check) throw new Error(`${type} is an invalid volume type`);
  const found = (await find(path)) ?? (await make(path, type));
  if (!found || !check.is(found)) throw new Error(`hostPath type check failed: ${path} is not ${check.what}`);
}

async function make(path: string, type: string): Promise<Stats | undefined> {
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  else if (type === 'FileOrCreate') await writeFile(path, '', { flag: 'a', mode: 0o644 });
  else return undefined;
  return stat(path);
}

async function find(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
