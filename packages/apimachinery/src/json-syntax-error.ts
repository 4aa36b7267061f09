/** The position where a text stops being JSON, with the message of Go's decoder. `undefined` if it is JSON. */
export function jsonSyntaxError(text: string): string | undefined {
  const reader = new Reader(text);
  try {
    reader.skipBlanks();
    reader.value();
    reader.skipBlanks();
    if (!reader.atEnd) reader.fail('after top-level value');
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error.message;
    throw error;
  }
}

class Stop extends Error {}

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const blanks = ' \t\r\n';
const digits = /[0-9]/;
const longestNesting = 10_000;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** A function, because what comes next changes while it is looked at. */
  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  /** What comes next, whole, if it takes two units of UTF-16. */
  #character(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
  }

  fail(where: string): never {
    if (this.atEnd) throw new Stop('unexpected end of JSON input');
    throw new Stop(`invalid character ${quote(this.#character())} ${where}`);
  }

  skipBlanks(): void {
    while (!this.atEnd && blanks.includes(this.#peek())) this.#at++;
  }

  value(): void {
    const first = this.#peek();
    if (first === '{') this.#nested('}', 'after object key:value pair', () => this.#pair());
    else if (first === '[') this.#nested(']', 'after array element', () => this.value());
    else if (first === '"') this.#string();
    else if (Object.hasOwn(literals, first)) this.#literal(literals[first] as string);
    else if (first === '-' || digits.test(first)) this.#number();
    else this.fail('looking for beginning of value');
  }

  #nested(close: string, after: string, item: () => void): void {
    if (++this.#depth > longestNesting) throw new Stop('exceeded max depth');
    this.#at++;
    this.skipBlanks();
    for (let isFirst = true; this.#peek() !== close || !isFirst; isFirst = false) {
      item();
      this.skipBlanks();
      if (this.#peek() === close) break;
      if (this.#peek() !== ',') this.fail(after);
      this.#at++;
      this.skipBlanks();
    }
    this.#at++;
    this.#depth--;
  }

  #pair(): void {
    if (this.#peek() !== '"') this.fail('looking for beginning of object key string');
    this.#string();
    this.skipBlanks();
    if (this.#peek() !== ':') this.fail('after object key');
    this.#at++;
    this.skipBlanks();
    this.value();
  }

  #string(): void {
    for (this.#at++; this.#peek() !== '"'; this.#at++) {
      if (this.atEnd || this.#peek() < ' ') this.fail('in string literal');
      if (this.#peek() === '\\') this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    this.#at++;
    if (this.#peek() !== 'u') {
      if (this.atEnd || !'"\\/bfnrt'.includes(this.#peek())) this.fail('in string escape code');
      return;
    }
    for (let i = 0; i < 4; i++) {
      this.#at++;
      if (!/[0-9a-fA-F]/.test(this.#peek())) this.fail('in \\u hexadecimal character escape');
    }
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#peek() !== letter) this.fail(`in literal ${word} (expecting ${quote(letter)})`);
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === '-') this.#at++;
    if (this.#peek() === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#peek() === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#peek() !== 'e' && this.#peek() !== 'E') return;
    this.#at++;
    if (this.#peek() === '+' || this.#peek() === '-') this.#at++;
    this.#digits('in exponent of numeric literal');
  }

  #digits(where: string): void {
    if (!digits.test(this.#peek())) this.fail(where);
    while (digits.test(this.#peek())) this.#at++;
  }
}

/** Go looks at bytes: of a character with several it shows the first, as if that were one. */
function quote(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const byte = String.fromCharCode(encoder.encode(character)[0] as number);
  return `'${JSON.stringify(byte).slice(1, -1).replace('\\u00', '\\x')}'`;
}

const encoder = /* @__PURE__ */ new TextEncoder();
