import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { NodeLogs } from '@coracle/kubelet';

/** The log files of this machine. Links are followed as long as they stay below `root`. */
export function nodeLogs(root = '/var/log'): NodeLogs {
  return {
    async open(path) {
      try {
        const base = await realpath(root);
        const found = await realpath(join(base, path));
        if (found !== base && relative(base, found).startsWith('..')) return undefined;
        const about = await stat(found);
        if (about.isDirectory()) return { kind: 'folder', names: await namesIn(found) };
        return about.isFile() ? { kind: 'file', pieces: piecesOf(found) } : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path)) yield chunk as Buffer;
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}
