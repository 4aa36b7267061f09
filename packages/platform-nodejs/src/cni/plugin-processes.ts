import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { CniError, cniErrorCodes, type RunPlugin } from '@coracle/cni';

export interface PluginProcessesOptions {
  /** Directories of plugins, in search order. */
  readonly path: readonly string[];
  readonly timeoutMs?: number;
}

/** Maximum size of a plugin's output: plugins print a few kilobytes. */
const mostOutput = 4 * 1024 * 1024;

/** Runs plugins as processes. */
export function pluginProcesses({ path, timeoutMs = 60_000 }: PluginProcessesOptions): RunPlugin {
  return async ({ type, environment, stdin }) => {
    const file = await findPlugin(type, path);
    return new Promise((resolve, reject) => {
      const env = { ...process.env, ...environment, CNI_PATH: path.join(':') };
      const child = execFile(file, { env, timeout: timeoutMs, maxBuffer: mostOutput }, (error, stdout, stderr) => {
        if (!error) resolve({ exitCode: 0, stdout, stderr });
        else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
        else if (error.killed) reject(new CniError(cniErrorCodes.ioFailure, `plugin ${type} did not end in time`));
        else reject(new CniError(cniErrorCodes.ioFailure, `plugin ${type}: ${error.message}`));
      });
      // If a plugin exits without reading, its output decides.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(stdin);
    });
  };
}

/** Path of a plugin's executable. */
export async function findPlugin(type: string, path: readonly string[]): Promise<string> {
  for (const folder of path) {
    const file = join(folder, type);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  throw new CniError(
    cniErrorCodes.ioFailure,
    `failed to find plugin ${JSON.stringify(type)} in path ${path.join(':')}`,
  );
}
