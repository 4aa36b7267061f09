/** Longer ones take more memory than they are worth. */
const longestKept = 8 * 1024;

/** The JSON of values that never change and that stand in many objects: the texts of the last ones are kept. */
export class KeptTexts {
  readonly #mostKept: number;
  /** The least recently made first. */
  readonly #texts = new Map<object, string>();

  constructor(mostKept: number) {
    this.#mostKept = mostKept;
  }

  of(value: object): string {
    let text = this.#texts.get(value);
    if (text !== undefined) return text;
    text = JSON.stringify(value);
    if (text.length > longestKept) return text;
    this.#texts.set(value, text);
    if (this.#texts.size > this.#mostKept) {
      for (const oldest of this.#texts.keys()) {
        this.#texts.delete(oldest);
        break;
      }
    }
    return text;
  }
}
