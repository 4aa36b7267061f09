import type { SourceText } from './source-text.js';

export type TokenKind = 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written in the source. */
  readonly text: string;
  readonly offset: number;
}

export interface LexerIssues {
  report(offset: number, message: string): void;
}

const symbols = ['==', '!=', '<=', '>=', '&&', '||', ...'[]{}().,-!?:+*/%<>'];
const symbolStarts: ReadonlySet<string> = new Set(symbols);

/** The tokens of an expression. Invalid characters are reported and skipped. */
export function readTokens(source: SourceText, issues: LexerIssues): Token[] {
  return new Lexer(source, issues).read();
}

class Lexer {
  readonly #source: SourceText;
  readonly #issues: LexerIssues;
  #at = 0;

  constructor(source: SourceText, issues: LexerIssues) {
    this.#source = source;
    this.#issues = issues;
  }

  read(): Token[] {
    const tokens: Token[] = [];
    while (this.#skipBlanks()) {
      const token = this.#next();
      if (token) tokens.push(token);
    }
    return [...tokens, { kind: 'end', text: '<EOF>', offset: this.#source.length }];
  }

  #char(ahead = 0): string {
    return this.#source.characters[this.#at + ahead] ?? '';
  }

  #skipBlanks(): boolean {
    while (this.#at < this.#source.length) {
      if (this.#char() === '/' && this.#char(1) === '/')
        while (this.#at < this.#source.length && this.#char() !== '\n') this.#at++;
      else if (/^[ \t\n\r\f]$/.test(this.#char())) this.#at++;
      else return true;
    }
    return false;
  }

  #next(): Token | undefined {
    const text = this.#stringOpening();
    if (text) return this.#string(text);
    const char = this.#char();
    if (/^[_a-zA-Z]$/.test(char)) return this.#identifier();
    if (isDigit(char) || (char === '.' && isDigit(this.#char(1)))) return this.#number();
    const two = char + this.#char(1);
    if (symbolStarts.has(two)) return this.#take('symbol', 2);
    if (symbolStarts.has(char)) return this.#take('symbol', 1);
    if (char === '`') return this.#quotedIdentifier();
    this.#refuse();
    return undefined;
  }

  /** Unknown characters are reported with what follows up to where a token could begin, as ANTLR does it. */
  #refuse(): void {
    const start = this.#at++;
    // A character that only begins a longer symbol drags the next one along.
    if ('=&|'.includes(this.#source.characters[start] ?? '') && this.#at < this.#source.length) this.#at++;
    this.#issues.report(start, `Syntax error: token recognition error at: '${this.#source.slice(start, this.#at)}'`);
  }

  #take(kind: TokenKind, length: number): Token {
    const offset = this.#at;
    this.#at += length;
    return { kind, text: this.#source.slice(offset, this.#at), offset };
  }

  #identifier(): Token {
    let length = 1;
    while (/^[_a-zA-Z0-9]$/.test(this.#char(length))) length++;
    return this.#take('identifier', length);
  }

  #quotedIdentifier(): Token | undefined {
    let length = 1;
    while (/^[_a-zA-Z0-9.\-/ ]$/.test(this.#char(length))) length++;
    if (length === 1 || this.#char(length) !== '`') {
      this.#refuse();
      return undefined;
    }
    return this.#take('identifier', length + 1);
  }

  #number(): Token {
    const digits = (from: number, test: (char: string) => boolean) => {
      let to = from;
      while (test(this.#char(to))) to++;
      return to;
    };
    if (this.#char() === '0' && this.#char(1) === 'x' && isHexDigit(this.#char(2)))
      return this.#integer(digits(2, isHexDigit));
    let end = digits(0, isDigit);
    let isFloat = false;
    if (this.#char(end) === '.' && isDigit(this.#char(end + 1))) {
      isFloat = true;
      end = digits(end + 1, isDigit);
    }
    const sign = /^[+-]$/.test(this.#char(end + 1)) ? 1 : 0;
    if (this.#char(end).toLowerCase() === 'e' && isDigit(this.#char(end + 1 + sign))) {
      isFloat = true;
      end = digits(end + 1 + sign, isDigit);
    }
    return isFloat ? this.#take('double', end) : this.#integer(end);
  }

  #integer(end: number): Token {
    return this.#char(end).toLowerCase() === 'u' ? this.#take('uint', end + 1) : this.#take('int', end);
  }

  #stringOpening(): StringOpening | undefined {
    let length = 0;
    let isBytes = false;
    let isRaw = false;
    for (; length < 2; length++) {
      const prefix = this.#char(length).toLowerCase();
      if (prefix === 'b' && !isBytes) isBytes = true;
      else if (prefix === 'r' && !isRaw) isRaw = true;
      else break;
    }
    const quote = this.#char(length);
    if (quote !== '"' && quote !== "'") return undefined;
    const isTriple = this.#char(length + 1) === quote && this.#char(length + 2) === quote;
    return { isBytes, isRaw, quote: isTriple ? quote.repeat(3) : quote, prefix: length };
  }

  #string(opening: StringOpening): Token | undefined {
    const { isBytes, isRaw, quote, prefix } = opening;
    for (let end = prefix + quote.length; this.#at + end < this.#source.length; end++) {
      if (quote.length === 1 && /^[\n\r]$/.test(this.#char(end))) break;
      if (this.#char(end) === '\\' && !isRaw) end++;
      else if (this.#source.slice(this.#at + end, this.#at + end + quote.length) === quote)
        return this.#take(isBytes ? 'bytes' : 'string', end + quote.length);
    }
    return this.#unterminated(opening);
  }

  #unterminated({ quote, prefix }: StringOpening): undefined {
    const start = this.#at;
    this.#at += prefix + quote.length;
    while (this.#at < this.#source.length && this.#char() !== '\n') this.#at++;
    this.#issues.report(start, `Syntax error: token recognition error at: '${this.#source.slice(start, this.#at)}'`);
  }
}

interface StringOpening {
  readonly isBytes: boolean;
  readonly isRaw: boolean;
  readonly quote: string;
  /** Number of letters before the quote. */
  readonly prefix: number;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1;
}

function isHexDigit(char: string): boolean {
  return /^[0-9a-fA-F]$/.test(char);
}
