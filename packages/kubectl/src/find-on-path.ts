import type { Host } from './host.js';

/** The first program of this name on the PATH. */
export async function findOnPath(name: string, host: Host): Promise<string | undefined> {
  for (const folder of (host.env['PATH'] ?? '').split(':').filter(Boolean)) {
    const path = `${folder}/${name}`;
    if (await host.processes?.isExecutable(path)) return path;
  }
  return undefined;
}
