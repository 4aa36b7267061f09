import type { Kubeconfig } from './kubeconfig.js';

/** Merges several files: the first entry of each name counts, and the first current context. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const current = configs.map((config) => config['current-context']).find((context) => context);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    preferences: configs.map(({ preferences }) => preferences).find(Boolean) ?? {},
    clusters: firstOfEachName(configs.flatMap(({ clusters }) => clusters ?? [])),
    users: firstOfEachName(configs.flatMap(({ users }) => users ?? [])),
    contexts: firstOfEachName(configs.flatMap(({ contexts }) => contexts ?? [])),
    ...(current && { 'current-context': current }),
  };
}

function firstOfEachName<Entry extends { readonly name: string }>(entries: readonly Entry[]): Entry[] {
  const byName = new Map<string, Entry>();
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry);
  return [...byName.values()];
}
