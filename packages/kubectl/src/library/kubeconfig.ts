import { type Kubeconfig, mergeKubeconfigs } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { entriesOf, hasEntry, type Section, withEntry, withoutEntry } from '../commands/config/entries.js';
import { minified, shownConfig } from '../commands/config/view.js';
import type { Fields } from '../values.js';

export type { Kubeconfig, Section };

/** `kubectl config` on values: each function returns a new configuration, and does not change its argument. */
export const kubeconfig = {
  /** Several files as one; the first that says something counts. */
  merge: mergeKubeconfigs,

  /** Names of clusters, users or contexts, sorted. */
  names: (config: Kubeconfig, section: Section): string[] => entriesOf(config, section).map(({ name }) => name),

  entry: (config: Kubeconfig, section: Section, name: string): Fields | undefined =>
    entriesOf(config, section).find((one) => one.name === name)?.entry,

  /** Sets fields of an entry, which is made if it is not there; `undefined` removes a field. */
  set(config: Kubeconfig, section: Section, name: string, fields: Fields): Kubeconfig {
    const all = { ...kubeconfig.entry(config, section, name), ...fields };
    const entry = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return withEntry(config, section, { name, entry });
  },

  /** Without an entry, which must be there. */
  remove(config: Kubeconfig, section: Section, name: string): Kubeconfig {
    if (!hasEntry(config, section, name)) throw new CommandError(`${section} have no ${JSON.stringify(name)}`);
    return withoutEntry(config, section, name);
  },

  useContext(config: Kubeconfig, name: string): Kubeconfig {
    if (!hasEntry(config, 'contexts', name))
      throw new CommandError(`no context exists with the name: ${JSON.stringify(name)}`);
    return { ...config, 'current-context': name };
  },

  renameContext(config: Kubeconfig, from: string, to: string): Kubeconfig {
    const entry = kubeconfig.entry(config, 'contexts', from);
    if (!entry) throw new CommandError(`cannot rename the context ${JSON.stringify(from)}, it is not there`);
    if (hasEntry(config, 'contexts', to))
      throw new CommandError(
        `cannot rename the context ${JSON.stringify(from)}, the context ${JSON.stringify(to)} already exists`,
      );
    const renamed = withEntry(withoutEntry(config, 'contexts', from), 'contexts', { name: to, entry });
    return config['current-context'] === from ? { ...renamed, 'current-context': to } : renamed;
  },

  /** As `config view` shows it: without secrets unless `raw`, with `minify` only what the current context uses. */
  view(config: Kubeconfig, options: { readonly raw?: boolean; readonly minify?: boolean } = {}): Fields {
    const current = config['current-context'] ?? '';
    const sections = {
      clusters: entriesOf(config, 'clusters'),
      users: entriesOf(config, 'users'),
      contexts: entriesOf(config, 'contexts'),
    };
    return shownConfig(options.minify ? minified(sections, current) : sections, { current, hides: !options.raw });
  },
} as const;
