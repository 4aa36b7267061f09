import type { LogFiles } from './log-files.js';

/** Log files by path with their sizes, and links by path with their targets. */
export function fakeLogFiles(sizes: Map<string, number>, links = new Map<string, string>()): LogFiles {
  const rename = (from: string, to: string) => {
    sizes.set(to, sizes.get(from) ?? 0);
    sizes.delete(from);
  };
  return {
    size: async (path) => sizes.get(links.get(path) ?? path),
    list: async (folder) => [
      ...new Set(
        [...sizes.keys(), ...links.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
      ),
    ],
    rename: async (from, to) => rename(from, to),
    compress: async (path) => rename(path, `${path}.gz`),
    link: async (path, target) => void (sizes.has(target) && links.set(path, target)),
    target: async (path) => links.get(path),
    remove: async (path) => {
      for (const all of [sizes, links])
        for (const name of [...all.keys()]) if (name === path || name.startsWith(`${path}/`)) all.delete(name);
    },
  };
}
