import type { TarEntry } from '@coracle/client';
import type { Files } from '../host.js';
import { cleanPath, directoryOf, joinPath, relativePath } from '../paths.js';

export interface Extraction {
  /** The name that the archive has for what was requested. */
  readonly root: string;
  /** The target path. */
  readonly base: string;
  /** Called with each skipped entry and the reason. */
  readonly onSkipped: (text: string) => void;
}

/**
 * Writes the entries of an untrusted archive. Nothing is written outside of the base: not by names with `..`, not by
 * absolute names, and not through links, neither those of the archive, which are left out, nor existing ones.
 */
export async function extract(
  files: Files,
  entries: AsyncIterable<TarEntry>,
  { root, base, onSkipped }: Extraction,
): Promise<void> {
  for await (const entry of entries) {
    const path = placeOf(entry.name, root, base);
    const outside = `warning: file ${JSON.stringify(entry.name)} is outside target destination, skipping`;
    if (path === undefined) onSkipped(outside);
    else if (entry.type !== 'file' && entry.type !== 'directory')
      onSkipped(`warning: skipping symlink: ${JSON.stringify(path)}`);
    else if (await leadsOutside(files, base, path)) onSkipped(outside);
    else await write(files, entry, path);
  }
}

/** The target of an entry; `undefined` if its name leads out of the base. */
export function placeOf(name: string, root: string, base: string): string | undefined {
  const inside = relativePath(root, name);
  if (name.startsWith('/') || inside === '..' || inside.startsWith('../')) return undefined;
  const path = inside === '.' ? cleanPath(base) : joinPath(base, inside);
  const back = relativePath(cleanPath(base), path);
  return back === '..' || back.startsWith('../') ? undefined : path;
}

/** Whether links on the way to a path lead out of the base. What does not exist yet has none. */
async function leadsOutside(files: Files, base: string, path: string): Promise<boolean> {
  if (path === cleanPath(base)) return false;
  const home = await files.resolveLinks(base).catch(() => undefined);
  if (home === undefined) return false;
  for (let place = path; place !== cleanPath(base); place = directoryOf(place)) {
    const real = await files.resolveLinks(place).catch(() => undefined);
    if (real === undefined) continue;
    return real !== home && !real.startsWith(`${home}/`);
  }
  return false;
}

async function write(files: Files, entry: TarEntry, path: string): Promise<void> {
  if (entry.type === 'directory') return files.makeDirectory(path);
  await files.makeDirectory(directoryOf(path));
  await files.write(path, entry.data ?? new Uint8Array(), entry.mode);
}
