import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Checkpoints } from '@coracle/kubelet';

/** Checkpoints as files in the kubelet's directory. Files are replaced atomically, one write after the other. */
export function checkpointFiles(root: string): Checkpoints {
  let writing: Promise<void> = Promise.resolve();
  const replace = async (name: string, text: string) => {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  return {
    read: (name) =>
      readFile(join(root, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    write: (name, text) => {
      const written = writing.then(() => replace(name, text));
      writing = written.catch(() => undefined);
      return written;
    },
  };
}
