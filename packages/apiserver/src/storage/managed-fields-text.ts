import type { ManagedFieldsEntry } from '@coracle/apimachinery';

/** Texts kept, each about a kilobyte. */
const mostKept = 500;

/**
 * The JSON of `metadata.managedFields`, which is a good part of many an object. The objects of a series share their
 * field sets, and an update leaves the sets of other managers as they are: so the texts of sets are kept for a while.
 */
export class ManagedFieldsText {
  /** The least recently made first. */
  readonly #texts = new Map<object, string>();

  of(entries: readonly ManagedFieldsEntry[]): string {
    let text = '[';
    for (const entry of entries) text += (text.length > 1 ? ',' : '') + this.#entry(entry);
    return `${text}]`;
  }

  #entry(entry: ManagedFieldsEntry): string {
    let text = '';
    for (const name in entry) {
      const value = entry[name as keyof ManagedFieldsEntry];
      const json = name === 'fieldsV1' && value ? this.#fields(value as object) : JSON.stringify(value);
      if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
    }
    return `{${text}}`;
  }

  #fields(fields: object): string {
    let text = this.#texts.get(fields);
    if (text !== undefined) return text;
    text = JSON.stringify(fields);
    this.#texts.set(fields, text);
    if (this.#texts.size > mostKept) {
      for (const oldest of this.#texts.keys()) {
        this.#texts.delete(oldest);
        break;
      }
    }
    return text;
  }
}
