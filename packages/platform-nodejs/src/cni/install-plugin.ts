import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.js';

export interface InstallPluginOptions {
  /** The bundle of the plugin. */
  readonly bundle: string;
  /** Where the container runtime looks for plugins. */
  readonly folder: string;
  /** The names that it is found by. */
  readonly names: readonly string[];
}

/**
 * Puts the plugin where the container runtime finds it. The first line names this very Node.js: the runtime's own
 * search path may have none. A file that is there and the same stays; one that belongs to another plugin is not
 * replaced.
 */
export async function installPlugin({ bundle, folder, names }: InstallPluginOptions): Promise<void> {
  const text = (await readFile(bundle, 'utf8')).replace(/^#!.*\n/, '');
  const script = `#!${process.execPath}\n${text}`;
  await makeDirectory(folder, { writable: true });
  for (const name of names) {
    const path = join(folder, name);
    const present = await readFile(path, 'latin1').catch(() => undefined);
    if (present === script || (present !== undefined && !present.startsWith('#!'))) continue;
    await writeFile(`${path}.new`, script);
    await chmod(`${path}.new`, 0o755);
    await rename(`${path}.new`, path);
  }
}
