import type { Kubeconfig } from '@coracle/client';
import { type Fields, recordAt } from '../../values.js';

/** The lists of a kubeconfig. */
export type Section = 'clusters' | 'users' | 'contexts';

export interface NamedEntry {
  readonly name: string;
  readonly entry: Fields;
}

const entryNames = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;

/** The entries of a section, in the order of their names. */
export function entriesOf(config: Kubeconfig, section: Section): NamedEntry[] {
  return (config[section] ?? [])
    .map((one) => ({ name: one.name, entry: recordAt(one, entryNames[section]) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function hasEntry(config: Kubeconfig, section: Section, name: string): boolean {
  return (config[section] ?? []).some((one) => one.name === name);
}

/** The configuration with an entry set. */
export function withEntry(config: Kubeconfig, section: Section, { name, entry }: NamedEntry): Kubeconfig {
  const others = (config[section] ?? []).filter((one) => one.name !== name);
  return { ...config, [section]: [...others, { name, [entryNames[section]]: entry }] };
}

/** The configuration without an entry. */
export function withoutEntry(config: Kubeconfig, section: Section, name: string): Kubeconfig {
  return { ...config, [section]: (config[section] ?? []).filter((one) => one.name !== name) };
}
