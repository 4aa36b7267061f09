import { RecentMap } from '@coracle/base';

/** Longer ones take more memory than they are worth. */
const longestKept = 8 * 1024;

/** The JSON of values that never change and that stand in many objects: the texts of the last ones are kept. */
export class KeptTexts {
  readonly #texts: RecentMap<object, string>;

  /** So many of them at least. */
  constructor(kept: number) {
    this.#texts = new RecentMap(kept);
  }

  of(value: object): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    if (text.length <= longestKept) this.#texts.set(value, text);
    return text;
  }
}
