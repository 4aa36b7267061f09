import { writeJson } from '@coracle/apimachinery';
import { RecentMap } from '@coracle/base';

/** Minimum number of cached texts of specs and field sets per resource; each is about a kilobyte. */
export const textsKept = 450;

/** Maximum length of cached texts. */
const longestText = 8 * 1024;

/** Cache of the JSON of immutable values that occur in many objects, by identity. */
export class TextMemory {
  readonly #texts: RecentMap<object, string>;

  /** Minimum number of cached texts. */
  constructor(size: number) {
    this.#texts = new RecentMap(size);
  }

  readonly textOf = (value: object): string => {
    const cachedText = this.#texts.get(value);
    if (cachedText !== undefined) return cachedText;
    const text = writeJson(value);
    if (text.length <= longestText) this.#texts.set(value, text);
    return text;
  };
}
