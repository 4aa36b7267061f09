import { type ManagedFieldsEntry, writeJson } from '@coracle/apimachinery';

/** The JSON of `metadata.managedFields`. Field sets, which many entries share, are written by `textOf`. */
export function managedFieldsText(entries: readonly ManagedFieldsEntry[], textOf: (fields: object) => string): string {
  let text = '[';
  for (const entry of entries) text += (text.length > 1 ? ',' : '') + entryText(entry, textOf);
  return `${text}]`;
}

function entryText(entry: ManagedFieldsEntry, textOf: (fields: object) => string): string {
  let text = '';
  for (const name in entry) {
    const value = entry[name as keyof ManagedFieldsEntry];
    const json = name === 'fieldsV1' && value ? textOf(value as object) : writeJson(value);
    if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
  }
  return `{${text}}`;
}
