import {
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  realpath,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SubPathRequest } from '@coracle/kubelet';
import { bindMount, unmount } from './mount-command.js';
import { isMountPoint } from './mount-table.js';
import { LeadsOut, openBelow } from './open-below.js';

/**
 * Mounts a part of a volume at a place that no container can change, and returns that place. Every step of the path is
 * opened without following links, so that a container which replaces a folder by a link meanwhile gains nothing.
 */
export async function prepareSubPath(request: SubPathRequest): Promise<string> {
  const { volumePath, subPath, podDirectory, volumeName, containerName, index } = request;
  const target = join(podDirectory, 'volume-subpaths', volumeName, containerName, String(index));
  const root = await realpath(volumePath);
  await makeBelow(root, subPath);
  await using handle = await openBelow(root, subPath).catch((error) => {
    throw error instanceof LeadsOut ? escapes(subPath) : error;
  });
  await clearTarget(target);
  await makeTarget(target, (await handle.stat()).isDirectory());
  await bindMount(`/proc/${process.pid}/fd/${handle.fd}`, target);
  return target;
}

function escapes(subPath: string): Error {
  return new Error(`subPath ${JSON.stringify(subPath)} is not below the volume`);
}

/** Makes the folders that are missing, one below the other, never through a link. */
async function makeBelow(root: string, subPath: string): Promise<void> {
  const resolved = await realpath(join(root, subPath)).catch(() => undefined);
  if (resolved !== undefined) return;
  const { mode } = await stat(root);
  const parts = subPath.split('/').filter((part) => part !== '' && part !== '.');
  let folder = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const part of parts) {
      const next = await stepInto(folder, part, mode & 0o7777);
      await folder.close();
      folder = next;
    }
  } finally {
    await folder.close();
  }
}

async function stepInto(folder: FileHandle, part: string, mode: number): Promise<FileHandle> {
  const path = `/proc/self/fd/${folder.fd}/${part}`;
  await mkdir(path).then(
    async () => {
      await using made = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      await made.chmod(mode);
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** What an earlier instance of the container mounted there. */
async function clearTarget(target: string): Promise<void> {
  while (await isMountPoint(target)) await unmount(target);
  const found = await lstat(target).catch(() => undefined);
  if (found) await (found.isDirectory() ? rmdir(target) : unlink(target));
}

async function makeTarget(target: string, isDirectory: boolean): Promise<void> {
  await mkdir(isDirectory ? target : dirname(target), { recursive: true, mode: 0o750 });
  if (!isDirectory) await writeFile(target, '', { flag: 'a', mode: 0o640 });
}
