import type { Cursor } from './cursor.js';

const newline = 0x0a;
const space = 0x20;

interface Header {
  readonly folded: boolean;
  /** The line breaks at the end: keep all, none, or one. */
  readonly chomping: '+' | '-' | '';
  /** The indentation indicator, if there is one. */
  readonly indent: number | undefined;
}

/** Reads the text in the lines below `|` or `>`, indented more than `parent`. */
export function readBlockScalar(cursor: Cursor, parent: number): string {
  const header = readHeader(cursor);
  const least = Math.max(parent, 0);
  const indent = header.indent === undefined ? detectIndent(cursor, least + 1) : least + header.indent;
  const lines = new BlockLines(header.folded);
  const { text } = cursor;
  for (;;) {
    const start = cursor.at;
    let at = start;
    while (at < start + indent && text.charCodeAt(at) === space) at++;
    const code = text.charCodeAt(at);
    if (code !== newline && (code === 0 || at < start + indent)) break;
    const end = text.indexOf('\n', at);
    lines.add(text.slice(at, end));
    cursor.at = end + 1;
  }
  cursor.startLine(cursor.at);
  return lines.joined(header.chomping);
}

const headerPattern = /^[|>](?:([-+])([1-9])?|([1-9])([-+])?)?[ \t]*(?:[ \t]#.*)?$/;

/** Reads the line of the indicator, and advances to the next one. */
function readHeader(cursor: Cursor): Header {
  const { text, at } = cursor;
  const end = text.indexOf('\n', at);
  const match = headerPattern.exec(text.slice(at, end));
  if (!match) return cursor.fail('did not find expected comment or line break while scanning a block scalar');
  cursor.at = end + 1;
  const digit = match[2] ?? match[3];
  const chomping = (match[1] ?? match[4] ?? '') as Header['chomping'];
  return { folded: text[at] === '>', chomping, indent: digit === undefined ? undefined : Number(digit) };
}

/** The first line that holds something reports how far the text is indented, or an empty one that is longer. */
function detectIndent({ text, at: start }: Cursor, least: number): number {
  let most = least;
  for (let at = start; ; at++) {
    const lineStart = at;
    while (text.charCodeAt(at) === space) at++;
    most = Math.max(most, at - lineStart);
    if (text.charCodeAt(at) !== newline) return most;
  }
}

/** Joins lines: as they are, or folded, where a break between two lines of text is a blank. */
class BlockLines {
  readonly #folded: boolean;
  #text = '';
  /** Line breaks since the last text. */
  #breaks = 0;
  #hasText = false;
  #afterIndented = false;

  constructor(folded: boolean) {
    this.#folded = folded;
  }

  add(line: string): void {
    if (line === '') {
      this.#breaks++;
      return;
    }
    this.#text += this.#folded ? this.#foldedBreaks(line) : '\n'.repeat(this.#breaks);
    this.#text += line;
    this.#hasText = true;
    this.#breaks = 1;
  }

  /** Lines that begin with white space are not folded, nor is the break after them. */
  #foldedBreaks(line: string): string {
    const isIndented = line[0] === ' ' || line[0] === '\t';
    const wasIndented = this.#afterIndented;
    this.#afterIndented = isIndented;
    if (isIndented || wasIndented || !this.#hasText) return '\n'.repeat(this.#breaks);
    return this.#breaks === 1 ? ' ' : '\n'.repeat(this.#breaks - 1);
  }

  joined(chomping: Header['chomping']): string {
    if (chomping === '+') return this.#text + '\n'.repeat(this.#breaks);
    return chomping === '' && this.#hasText ? `${this.#text}\n` : this.#text;
  }
}
