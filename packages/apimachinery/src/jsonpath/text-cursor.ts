/** A place in a text that moves on as the text is read. */
export class TextCursor {
  readonly #text: string;
  position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.#text.length;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.position);
  }

  /** The rest, truncated for an error message. */
  get rest(): string {
    return this.#text.slice(this.position, this.position + 20);
  }

  /** Whether the text still has `expected` in it. */
  hasAhead(expected: string): boolean {
    return this.#text.includes(expected, this.position);
  }

  /** Advances past `expected` if it is next. */
  skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  /** The same for a word that something other than a word follows. */
  skipWord(word: string): boolean {
    const after = this.#text.charAt(this.position + word.length);
    return !/[\w-]/.test(after) && this.skip(word);
  }

  skipSpaces(): void {
    this.take(/\s*/y);
  }

  /** What matches here, and moves past it; `pattern` must be sticky. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.position += match.length;
    return match;
  }

  /** The text before `end`, or all of it. */
  takeUntil(end: string): string {
    const index = this.#text.indexOf(end, this.position);
    const text = this.#text.slice(this.position, index < 0 ? undefined : index);
    this.position += text.length;
    return text;
  }
}
