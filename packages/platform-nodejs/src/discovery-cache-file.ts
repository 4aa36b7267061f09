import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiscoveryFiles } from '@coracle/client';

/**
 * The discovery cache in kubectl's directory, with a directory for each server: `~/.kube/cache/discovery/host_port`.
 */
export function discoveryFiles(server: string, cacheFolder = defaultFolder()): DiscoveryFiles {
  return filesIn(join(cacheFolder, 'discovery', folderName(server)));
}

/** Cached responses, in another directory and format than those of kubectl: `~/.kube/cache/http/host_port`. */
export function httpCacheFiles(server: string, cacheFolder = defaultFolder()): DiscoveryFiles {
  return filesIn(join(cacheFolder, 'http', folderName(server)));
}

function defaultFolder(): string {
  return join(homedir(), '.kube', 'cache');
}

function folderName(server: string): string {
  return server.replace(/^https?:\/\//, '').replace(/[^(\w/.)]/g, '_');
}

function filesIn(folder: string): DiscoveryFiles {
  return {
    async read(file) {
      const path = join(folder, file);
      try {
        const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
        return { text, modifiedAt: Math.floor(mtimeMs) };
      } catch {
        return undefined;
      }
    },
    /** Atomic, because another process may be reading. A directory that is not writable disables caching. */
    async write(file, text) {
      const path = join(folder, file);
      const draft = `${path}.${randomUUID()}`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o750 });
        await writeFile(draft, text, { mode: 0o660 });
        await rename(draft, path);
      } catch {
        // The next run requests discovery again.
      }
    },
  };
}
