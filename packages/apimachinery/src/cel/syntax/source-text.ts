import { CelError } from '../cel-error.js';

/** Something wrong at a place of an expression. */
export interface CelIssue {
  /** In code points from the start; -1 where there is no place to point at. */
  readonly offset: number;
  readonly message: string;
}

/** Further errors are not reported. */
const maxIssues = 100;
/** Longer lines are not repeated. */
const longestLine = 16_384;

/** The text of an expression, by code points: columns count them. */
export class SourceText {
  readonly characters: readonly string[];
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.characters = isAscii.test(text) ? text.split('') : [...text];
    const starts = [0];
    for (const [index, character] of this.characters.entries()) if (character === '\n') starts.push(index + 1);
    this.#lineStarts = starts;
  }

  get length(): number {
    return this.characters.length;
  }

  slice(start: number, end: number): string {
    return this.characters.slice(start, end).join('');
  }

  /** Every issue with its line and a mark below the place. */
  describe(issues: readonly CelIssue[]): CelError {
    const places = issues.slice(0, maxIssues).map((issue) => ({ ...issue, ...this.#place(issue.offset) }));
    places.sort((a, b) => a.line - b.line || a.column - b.column);
    const text = places.map(
      (place) => `ERROR: <input>:${place.line}:${place.column}: ${place.message}${place.drawing}`,
    );
    const [first] = places;
    return new CelError('compile', text.join('\n'), first && { line: first.line, column: first.column });
  }

  #place(offset: number) {
    if (offset < 0) return { line: -1, column: 0, drawing: '' };
    let line = 0;
    while (line + 1 < this.#lineStarts.length && (this.#lineStarts[line + 1] ?? 0) <= offset) line++;
    const start = this.#lineStarts[line] ?? 0;
    const end = (this.#lineStarts[line + 1] ?? this.length + 1) - 1;
    const column = offset - start + 1;
    if (end - start > longestLine) return { line: line + 1, column, drawing: '' };
    const source = this.slice(start, end).replaceAll('\t', ' ');
    // Upstream takes every character beyond ASCII for one that fills two columns.
    const dots = this.characters
      .slice(start, offset)
      .map((character) => (isAscii.test(character) ? '.' : '．'))
      .join('');
    const at = this.characters[offset];
    const mark = at !== undefined && offset < end && !isAscii.test(at) ? '＾' : '^';
    return { line: line + 1, column, drawing: `\n | ${source}\n | ${dots}${mark}` };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range of ASCII
const isAscii = /^[\x00-\x7f]*$/;
