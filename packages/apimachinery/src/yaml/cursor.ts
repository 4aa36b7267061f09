/** An error in a text, with its position. */
export class YamlProblem extends Error {
  /** Counted from 1. */
  readonly line: number;

  constructor(what: string, line: number) {
    super(what);
    this.line = line;
  }
}

const newline = 0x0a;
const space = 0x20;
const tab = 0x09;
const hash = 0x23;
const dash = 0x2d;
const dot = 0x2e;

/**
 * A position in YAML text, with the state of its line. The text ends in a line break and a NUL, which occurs nowhere
 * else in it, so that readers need not check for the end at every step. Lines end in LF alone.
 */
export class Cursor {
  readonly text: string;
  at = 0;
  lineStart = 0;
  /** Where the first character of the line is that is no white space. */
  first = 0;
  /** How many blanks the line begins with. Tabs are none. */
  indent = 0;
  /** Whether there is a tab before the position, after the preceding text. */
  afterTab = false;

  constructor(text: string) {
    // Joined, since text that was appended to is slower to look into.
    this.text = [text, text.endsWith('\n') ? '\0' : '\n\0'].join('');
    this.startLine(0);
  }

  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Whether there is only white space before the position in its line. */
  get startsLine(): boolean {
    return this.at === this.first;
  }

  get column(): number {
    return this.at === this.first ? this.indent : this.at - this.lineStart;
  }

  /** Skips white space, comments and line breaks. */
  skip(): void {
    while (this.code <= hash) {
      this.skipBlanks();
      const code = this.code;
      if (code === hash) this.at = this.text.indexOf('\n', this.at);
      else if (code !== newline) return;
      this.startLine(this.at + 1);
    }
  }

  /** Skips blanks and tabs only. */
  skipBlanks(): void {
    let code = this.code;
    while (code === space || code === tab) {
      if (code === tab) this.afterTab = true;
      code = this.text.charCodeAt(++this.at);
    }
  }

  /** Advances to the first character of the line that begins at `start`, which is its end if the line is empty. */
  startLine(start: number): void {
    const { text } = this;
    let at = start;
    while (text.charCodeAt(at) === space) at++;
    this.at = at;
    this.lineStart = start;
    this.indent = at - start;
    this.afterTab = false;
    if (text.charCodeAt(at) === tab) this.skipBlanks();
    this.first = this.at;
  }

  /** Whether a block indicator is next, which a blank must follow. */
  follows(indicator: number): boolean {
    return this.code === indicator && isBlank(this.text.charCodeAt(this.at + 1));
  }

  get atEnd(): boolean {
    return this.code === 0;
  }

  /** Whether a document ends here: by the text's end, or by `---` or `...`. */
  get endsDocument(): boolean {
    return this.atEnd || (this.at === this.lineStart && this.isMarker(this.at));
  }

  isMarker(at: number): boolean {
    const { text } = this;
    const code = text.charCodeAt(at);
    if (code !== dash && code !== dot) return false;
    return text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code && isBlank(text.charCodeAt(at + 3));
  }

  fail(what: string, at: number = this.at): never {
    throw new YamlProblem(what, 1 + this.linesBetween(0, at));
  }

  /** How many lines end between two places. Lines are counted only on demand. */
  linesBetween(start: number, end: number): number {
    let lines = 0;
    for (let i = this.text.indexOf('\n', start); i >= 0 && i < end; i = this.text.indexOf('\n', i + 1)) lines++;
    return lines;
  }
}

/** Whether a character separates: a blank, a tab, the end of a line or of the text. */
export function isBlank(code: number): boolean {
  return code === space || code === newline || code === tab || code === 0;
}

/** What lines that are read as one have between them: a blank, or the empty lines. */
export function foldedBreak(lines: number): string {
  return lines === 1 ? ' ' : '\n'.repeat(lines - 1);
}
