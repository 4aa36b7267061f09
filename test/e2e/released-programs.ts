import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './run.js';

/** Where scripts/test-dependencies unpacks programs as they were released. */
const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'coracle-tests/kubectl-v36');

/** kubectl of the Kubernetes version that Coracle implements; `undefined` if it is not installed. */
export const newestKubectl = programAt('kubectl/kubectl', ['version', '--client']);
export const helm = programAt('helm/helm', ['version']);

function programAt(path: string, args: readonly string[]): string | undefined {
  const program = join(folder, path);
  return isInstalled(program, args) ? program : undefined;
}
