import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.js';
import { canHandOver, pluginShim } from './plugin-shim.js';

export interface InstallPluginOptions {
  /** The bundle of the plugin. */
  readonly bundle: string;
  /** Where the container runtime looks for plugins. */
  readonly folder: string;
  /** The names of the executables. */
  readonly names: readonly string[];
  /** The socket of the node's process that handles calls, if it does. */
  readonly socket?: string;
}

/** The program that the shims run. */
const programName = 'coracle-cni.cjs';

/**
 * Installs the plugin for the container runtime: the program, or a shim that passes calls to the node's process. The
 * first line of the program names this Node.js executable, because the runtime's search path may have none. An
 * identical file is not written again; a file of another plugin is not replaced.
 */
export async function installPlugin({ bundle, folder, names, socket }: InstallPluginOptions): Promise<void> {
  const text = (await readFile(bundle, 'utf8')).replace(/^#!.*\n/, '');
  const script = `#!${process.execPath}\n${text}`;
  await makeDirectory(folder, { writable: true });
  if (socket === undefined || !canHandOver(socket)) {
    for (const name of names) await installScript(join(folder, name), script);
    return;
  }
  const program = join(folder, programName);
  await installScript(program, script);
  const shim = pluginShim({ node: process.execPath, program, socket });
  for (const name of names) await installScript(join(folder, name), shim);
}

async function installScript(path: string, script: string): Promise<void> {
  const present = await readFile(path, 'latin1').catch(() => undefined);
  if (present === script || (present !== undefined && !present.startsWith('#!'))) return;
  await writeFile(`${path}.new`, script);
  await chmod(`${path}.new`, 0o755);
  await rename(`${path}.new`, path);
}
