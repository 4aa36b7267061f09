import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttachmentKey, CachedAttachment, ResultCache } from '@coracle/cni';

/** Results of ADD as files in a directory. */
export function resultCacheFiles(folder: string): ResultCache {
  const fileOf = (network: string, { containerId, ifName }: AttachmentKey) =>
    join(folder, `${network}-${containerId}-${ifName}`);
  const read = async (path: string): Promise<CachedAttachment | undefined> => {
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch {
      return undefined;
    }
  };
  return {
    read: (network, key) => read(fileOf(network, key)),
    async write(network, cached) {
      await mkdir(folder, { recursive: true });
      const path = fileOf(network, cached.attachment);
      await writeFile(`${path}.new`, JSON.stringify({ network, ...cached }), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    remove: (network, key) => rm(fileOf(network, key), { force: true }),
    async list(network) {
      const names = await readdir(folder).catch(() => []);
      const all = await Promise.all(
        names.filter((name) => name.startsWith(`${network}-`)).map((name) => read(join(folder, name))),
      );
      // The name of another network may begin with that of this one.
      return all.filter((one): one is CachedAttachment & { network: string } => !!one && belongsTo(one, network));
    },
  };
}

function belongsTo(cached: CachedAttachment & { readonly network?: string }, network: string): boolean {
  return cached.network === network;
}
