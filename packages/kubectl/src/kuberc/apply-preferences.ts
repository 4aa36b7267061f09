import type { Host } from '../host.js';
import type { Preferences, PreferredWords } from './preferences.js';

/** Applies the kuberc file, if there is one and it is not turned off. */
export async function applyPreferences(words: readonly string[], host: Host): Promise<PreferredWords> {
  const path = preferencesPath(words, host);
  if (path === undefined) return { words, defaults: [] };
  const { loadPreferences, withPreferences } = await import('./preferences.js');
  const preferences: Preferences | undefined = await loadPreferences(host, path.path, path.mustExist);
  return preferences ? withPreferences(words, preferences) : { words, defaults: [] };
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
