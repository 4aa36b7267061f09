import { writeJson } from '@coracle/apimachinery';
import { RecentMap } from '@coracle/base';

/** Texts of specs and field sets that are remembered for a resource, at least: each about a kilobyte. */
export const textsKept = 450;

/** Longer texts take more memory than they are worth. */
const longestText = 8 * 1024;

/** The JSON of immutable values that occur in many objects, remembered by identity. */
export class TextMemory {
  readonly #texts: RecentMap<object, string>;

  /** Minimum number of texts that are kept. */
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
