import { CommandError } from '../command/command-error.js';

/** Changes to a map: entries to set, and keys to remove. */
export interface MapChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Splits arguments into resources and `key=value` or `key-` changes. A resource must not follow a change. */
export function splitChanges(words: readonly string[], what: string): { resources: string[]; changes: string[] } {
  const isChange = (word: string) => (word.includes('=') && !word.startsWith('=')) || word.endsWith('-');
  const first = words.findIndex(isChange);
  const resources = first < 0 ? [...words] : words.slice(0, first);
  const changes = first < 0 ? [] : words.slice(first);
  const late = changes.find((word) => !isChange(word));
  if (late !== undefined) throw new CommandError(`all resources must be specified before ${what} changes: ${late}`);
  return { resources, changes };
}

export function parseChanges(changes: readonly string[]): MapChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const change of changes) {
    const mark = change.indexOf('=');
    if (mark > 0) set.set(change.slice(0, mark), change.slice(mark + 1));
    else remove.push(change.slice(0, -1));
  }
  return { set, remove };
}
