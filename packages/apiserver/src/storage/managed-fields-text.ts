import type { ManagedFieldsEntry } from '@coracle/apimachinery';
import { KeptTexts } from './kept-texts.js';

/** Texts kept at least, each about a kilobyte. */
const kept = 250;

/**
 * The JSON of `metadata.managedFields`, which is a good part of many an object. The objects of a series share their
 * field sets, and an update leaves the sets of other managers as they are: so the texts of sets are kept for a while.
 */
export class ManagedFieldsText {
  readonly #texts = new KeptTexts(kept);

  of(entries: readonly ManagedFieldsEntry[]): string {
    let text = '[';
    for (const entry of entries) text += (text.length > 1 ? ',' : '') + this.#entry(entry);
    return `${text}]`;
  }

  #entry(entry: ManagedFieldsEntry): string {
    let text = '';
    for (const name in entry) {
      const value = entry[name as keyof ManagedFieldsEntry];
      const json = name === 'fieldsV1' && value ? this.#texts.of(value as object) : JSON.stringify(value);
      if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
    }
    return `{${text}}`;
  }
}
