import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
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
  remove: (path) => rm(path, { recursive: true, force: true }),
};
