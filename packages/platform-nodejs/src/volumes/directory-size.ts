import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectorySize } from '@coracle/kubelet';

const blockBytes = 512;

/** What a directory takes on its file system; files with several names count once, other file systems not at all. */
export async function directorySize(directory: string): Promise<DirectorySize> {
  const root = await lstat(directory).catch(gone);
  if (!root) return { bytes: 0, inodes: 0 };
  const seen = new Set<number>();
  let bytes = 0;
  const visit = async (path: string): Promise<void> => {
    const found = await lstat(path).catch(gone);
    if (!found || found.dev !== root.dev || seen.has(found.ino)) return;
    seen.add(found.ino);
    bytes += found.blocks * blockBytes;
    if (!found.isDirectory()) return;
    for (const name of (await readdir(path).catch(gone)) ?? []) await visit(join(path, name));
  };
  await visit(directory);
  return { bytes, inodes: seen.size };
}

/** Containers delete files while they are counted. */
function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
