import { CommandError } from '../../command/command-error.js';
import type { ConfigFiles, Section } from './config-files.js';

/** A value of a kubeconfig: `current-context`, or a field of an entry. */
export type Property =
  | { readonly kind: 'current-context' }
  | { readonly kind: 'entry'; readonly section: Section; readonly name: string; readonly field: string };

/** Reads `clusters.NAME.server`. Names may have dots: the entry that exists and fits counts. */
export function parseProperty(text: string, files: ConfigFiles): Property {
  if (text === 'current-context') return { kind: 'current-context' };
  const [section = '', ...rest] = text.split('.');
  if (section !== 'clusters' && section !== 'users' && section !== 'contexts')
    throw new CommandError(`unable to parse ${text} after [] at api.Config`);
  const path = rest.join('.');
  const entry = files.entries(section).find(({ name }) => path === name || path.startsWith(`${name}.`));
  if (entry) return { kind: 'entry', section, name: entry.name, field: path.slice(entry.name.length + 1) };
  const dot = path.indexOf('.');
  if (dot < 0) return { kind: 'entry', section, name: path, field: '' };
  return { kind: 'entry', section, name: path.slice(0, dot), field: path.slice(dot + 1) };
}
