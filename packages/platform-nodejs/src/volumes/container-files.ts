import { chmod, constants, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ContainerFilesHost } from '@coracle/kubelet';
import { openBelow } from './open-below.js';

/** The kubelet's own files for containers: hosts files and termination logs. */
export const containerFiles: ContainerFilesHost = {
  async write(path, content, mode) {
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await writeFile(path, content);
    await chmod(path, mode);
  },

  async readTail(path, maxBytes) {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return undefined;
    await using handle = file;
    const { size } = await handle.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  },

  async readBelow(folder, path, maxBytes) {
    const found = await openBelow(folder, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return undefined;
    await using place = found;
    const stats = await place.stat();
    if (!stats.isFile()) throw new Error(`${JSON.stringify(path)} is not a regular file`);
    await using handle = await open(`/proc/self/fd/${place.fd}`, constants.O_RDONLY);
    const length = Math.min(stats.size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  },
};
