import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { FileError, type Host } from '../host.js';
import type { PreferredWords } from './preferences.js';

/** Applies the kuberc file, if there is one and it is not turned off. */
export async function applyPreferences(words: readonly string[], host: Host): Promise<PreferredWords> {
  const path = preferencesPath(words, host);
  if (path === undefined) return { words, defaults: [] };
  const text = await readText(host, path.path, path.mustExist);
  if (text === undefined) return { words, defaults: [] };
  // Most users have no such file, and loading the YAML parser takes longer than a simple command.
  const { parsePreferences, withPreferences } = await import('./preferences.js');
  const preferences = parsePreferences(text);
  return preferences ? withPreferences(words, preferences) : { words, defaults: [] };
}

async function readText(host: Host, path: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await host.files?.read(path));
  } catch (error) {
    if (error instanceof FileError && error.isMissing && !mustExist) return undefined;
    throw new CommandError(`error loading kuberc file: ${messageOf(error)}`);
  }
}

/** Where the preferences are; `undefined` where there can be none. */
function preferencesPath(words: readonly string[], host: Host): { path: string; mustExist: boolean } | undefined {
  if (!host.files || host.env['KUBECTL_KUBERC'] === 'false' || words[0] === 'kuberc') return undefined;
  const at = words.findIndex((word) => word === '--kuberc' || word.startsWith('--kuberc='));
  const named = at < 0 ? (host.env['KUBERC'] ?? '') : (words[at]?.split('=')[1] ?? words[at + 1] ?? '');
  if (named === 'off') return undefined;
  if (named !== '') return { path: named, mustExist: at >= 0 };
  return { path: `${host.files.homeDirectory}/.kube/kuberc`, mustExist: false };
}
