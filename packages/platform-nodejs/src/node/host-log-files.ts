import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { LogFiles } from '@coracle/kubelet';

/** The logs of containers on this machine. */
export const hostLogFiles: LogFiles = {
  async size(path) {
    const found = await stat(path).catch(() => undefined);
    return found?.size;
  },
  list: (folder) => readdir(folder).catch(() => []),
  rename: (from, to) => rename(from, to),
  async compress(path) {
    const unfinished = `${path}.tmp`;
    await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o640 }));
    await rename(unfinished, `${path}.gz`);
    await rm(path, { force: true });
  },
  async link(path, target) {
    if (!(await stat(target).catch(ifMissing))) return;
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await rm(path, { force: true });
    await symlink(target, path);
  },
  target: (path) => readlink(path).catch(() => undefined),
  remove: (path) => rm(path, { recursive: true, force: true }),
};

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
