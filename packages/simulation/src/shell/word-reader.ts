import type { Script, Word, WordPart } from './script.js';

/** A script that is no shell script, or has what the simulated shell does not support. */
export class ShellSyntaxError extends Error {
  override readonly name: string = 'ShellSyntaxError';
}

const variableName = /[A-Za-z_]\w*|[0-9?#@*$!-]/y;
const wordEnd = /[\s;&|<>()]/;

/** Reads a script from left to right: blanks, operators and words. What is within `$(…)` is read by `parse`. */
export class WordReader {
  readonly text: string;
  at = 0;
  readonly #parse: (reader: WordReader, end: string) => Script;

  constructor(text: string, parse: (reader: WordReader, end: string) => Script) {
    this.text = text;
    this.#parse = parse;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** Skips spaces, comments and continued lines; line breaks too if `lines` is set. */
  skipBlanks(lines = false): void {
    const blank = lines ? /(?:\s|\\\r?\n|#[^\n]*)*/y : /(?:[ \t\r]|\\\r?\n)*(?:#[^\n]*)?/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.text)?.[0].length ?? 0;
  }

  peek(operator: string): boolean {
    return this.text.startsWith(operator, this.at);
  }

  /** Skips an operator if it is there. */
  take(operator: string): boolean {
    if (!this.peek(operator)) return false;
    this.at += operator.length;
    return true;
  }

  expect(operator: string): void {
    if (!this.take(operator)) throw new ShellSyntaxError(`${operator} expected`);
  }

  /** What matches here. The expression is sticky. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  /** The next word; `undefined` where none begins. */
  word(): Word | undefined {
    const parts: WordPart[] = [];
    const start = this.at;
    while (!this.ended && !wordEnd.test(this.text[this.at] ?? '')) this.#part(parts);
    return this.at === start ? undefined : parts;
  }

  /** Everything to the end of the text as if it stood in double quotes. */
  quotedRest(): Word {
    const parts: WordPart[] = [];
    while (!this.ended) this.#quotedPart(parts);
    return parts;
  }

  #part(parts: WordPart[]): void {
    if (this.take("'")) {
      const end = this.text.indexOf("'", this.at);
      if (end < 0) throw new ShellSyntaxError('a quote is not closed');
      parts.push({ kind: 'text', text: this.text.slice(this.at, end), quoted: true });
      this.at = end + 1;
    } else if (this.take('"')) {
      parts.push({ kind: 'text', text: '', quoted: true });
      while (!this.take('"')) this.#quotedPart(parts);
    } else if (this.take('\\')) {
      const char = this.#next();
      if (char !== '\n') parts.push({ kind: 'text', text: char, quoted: true });
    } else if (this.peek('$') || this.peek('`')) parts.push(this.#dollar(false));
    else parts.push({ kind: 'text', text: this.#next(), quoted: false });
  }

  #quotedPart(parts: WordPart[]): void {
    if (this.ended) throw new ShellSyntaxError('a quote is not closed');
    if (this.peek('$') || this.peek('`')) {
      parts.push(this.#dollar(true));
      return;
    }
    const char = this.#next();
    const escapes = char === '\\' && /["$`\\\n]/.test(this.text[this.at] ?? '');
    const text = escapes ? this.#next() : char;
    if (!(escapes && text === '\n')) parts.push({ kind: 'text', text, quoted: true });
  }

  #dollar(quoted: boolean): WordPart {
    if (this.take('`')) return { kind: 'substitution', script: this.#backquoted(), quoted };
    this.expect('$');
    if (this.take('((')) return { kind: 'arithmetic', expression: this.#arithmetic(), quoted };
    if (this.take('(')) return { kind: 'substitution', script: this.#parse(this, ')'), quoted };
    if (this.take('{')) return this.#braces(quoted);
    const name = this.match(variableName);
    return name === undefined ? { kind: 'text', text: '$', quoted } : { kind: 'parameter', name, quoted };
  }

  #backquoted(): Script {
    let script = '';
    while (!this.take('`')) {
      const char = this.#next();
      script += char === '\\' && /[`\\$]/.test(this.text[this.at] ?? '') ? this.#next() : char;
    }
    return this.#parse(new WordReader(script, this.#parse), '');
  }

  #arithmetic(): Word {
    const start = this.at;
    for (let depth = 0; depth > 0 || !this.peek('))'); ) {
      const char = this.#next();
      if (char === '(') depth++;
      if (char === ')') depth--;
    }
    const inner = new WordReader(this.text.slice(start, this.at), this.#parse);
    this.expect('))');
    return inner.quotedRest();
  }

  #braces(quoted: boolean): WordPart {
    const length = /^#[^}]/.test(this.text.slice(this.at, this.at + 2)) && this.take('#');
    const name = this.match(variableName);
    if (name === undefined) throw new ShellSyntaxError('bad substitution');
    const part = { kind: 'parameter', name, quoted, ...(length && { length }) } as const;
    if (this.take('}')) return part;
    const operator = this.match(/:?[-=+?]|%%?|##?/y);
    if (operator === undefined) throw new ShellSyntaxError('bad substitution');
    const word: WordPart[] = [];
    while (!this.take('}')) quoted && !this.peek('"') ? this.#quotedPart(word) : this.#part(word);
    return { ...part, change: { operator, word } };
  }

  #next(): string {
    if (this.ended) throw new ShellSyntaxError('the script ends too early');
    return this.text[this.at++] ?? '';
  }
}
