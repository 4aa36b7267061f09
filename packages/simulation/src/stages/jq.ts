import { writeJson } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

/** Evaluates an expression on a value: any number of results. Missing values give no result, or null. */
export type Query = (value: unknown) => unknown[];

/**
 * Reads the part of jq that stages use: paths (`.a.b`, `.a["b"]`, `.a[0]`, `.a[]`, `.a.[]`), pipes, `select(…)`,
 * `length`, `not`, comparisons, `and`, `or`, `//`, literals and parentheses. Throws a `SyntaxError` for anything else.
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(tokensOf(text), text);
  const query = parser.pipe();
  parser.end();
  return query;
}

const tokenPattern = /\s+|("(?:[^"\\]|\\.)*"|==|!=|<=|>=|\/\/|[-+]?\d+(?:\.\d+)?|[A-Za-z_]\w*|[.[\]|()<>?])|([\s\S])/g;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (const [, token, stray] of text.matchAll(tokenPattern)) {
    if (stray !== undefined) throw new SyntaxError(`unexpected ${JSON.stringify(stray)} in ${JSON.stringify(text)}`);
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

const comparisons: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '==': (a, b) => writeJson(a) === writeJson(b),
  '!=': (a, b) => writeJson(a) !== writeJson(b),
  '<': (a, b) => compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
};

function compare(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const isTrue = (value: unknown) => value !== null && value !== undefined && value !== false;

class Parser {
  readonly #tokens: readonly string[];
  readonly #text: string;
  #next = 0;

  constructor(tokens: readonly string[], text: string) {
    this.#tokens = tokens;
    this.#text = text;
  }

  end(): void {
    if (this.#peek() !== undefined) this.#refuse();
  }

  pipe(): Query {
    let query = this.#alternative();
    while (this.#take('|')) {
      const [left, right] = [query, this.#alternative()];
      query = (value) => left(value).flatMap(right);
    }
    return query;
  }

  #alternative(): Query {
    const left = this.#or();
    if (!this.#take('//')) return left;
    const right = this.#alternative();
    return (value) => {
      const found = left(value).filter(isTrue);
      return found.length > 0 ? found : right(value);
    };
  }

  #or(): Query {
    let query = this.#and();
    while (this.#take('or')) {
      const [left, right] = [query, this.#and()];
      query = (value) => [left(value).some(isTrue) || right(value).some(isTrue)];
    }
    return query;
  }

  #and(): Query {
    let query = this.#comparison();
    while (this.#take('and')) {
      const [left, right] = [query, this.#comparison()];
      query = (value) => [left(value).some(isTrue) && right(value).some(isTrue)];
    }
    return query;
  }

  #comparison(): Query {
    const left = this.#term();
    const compares = comparisons[this.#peek() ?? ''];
    if (!compares) return left;
    this.#next++;
    const right = this.#term();
    return (value) => left(value).flatMap((a) => right(value).map((b) => compares(a ?? null, b ?? null)));
  }

  #term(): Query {
    let query = this.#primary();
    for (;;) {
      const step = this.#step();
      if (!step) return query;
      const before = query;
      query = (value) => before(value).flatMap(step);
    }
  }

  #primary(): Query {
    const token = this.#tokens[this.#next++];
    if (token === '.') {
      const name = this.#peek();
      if (name !== undefined && /^(?:[A-Za-z_]|")/.test(name)) {
        this.#next++;
        return field(nameOf(name));
      }
      return (value) => [value];
    }
    if (token === '(') {
      const inner = this.pipe();
      this.#expect(')');
      return inner;
    }
    const literal = literalOf(token ?? '');
    return literal ? () => [literal.value] : this.#function(token ?? '');
  }

  #function(name: string): Query {
    if (name === 'not') return (value) => [!isTrue(value)];
    if (name === 'length')
      return (value) => [
        isRecord(value) ? Object.keys(value).length : ((value as string | unknown[] | null)?.length ?? 0),
      ];
    if (name !== 'select') return this.#refuse(name);
    this.#expect('(');
    const condition = this.pipe();
    this.#expect(')');
    return (value) => (condition(value).some(isTrue) ? [value] : []);
  }

  /** What follows a term: `.name`, `["name"]`, `[0]`, `[]`. */
  #step(): Query | undefined {
    if (this.#take('?')) return (value) => [value];
    if (this.#peek() === '.' && this.#tokens[this.#next + 1] === '[') this.#next++;
    if (this.#take('[')) return this.#brackets();
    if (this.#peek() !== '.') return undefined;
    const name = this.#tokens[this.#next + 1] ?? '';
    if (!/^(?:[A-Za-z_]|")/.test(name)) return undefined;
    this.#next += 2;
    return field(nameOf(name));
  }

  #brackets(): Query {
    if (this.#take(']')) return (value) => (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []);
    const token = this.#tokens[this.#next++] ?? '';
    this.#expect(']');
    const literal = literalOf(token);
    if (typeof literal?.value === 'string') return field(literal.value);
    const index = literal?.value;
    if (typeof index !== 'number') return this.#refuse(token);
    return (value) => [Array.isArray(value) ? (value.at(index) ?? null) : null];
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#next++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#take(token)) this.#refuse();
  }

  #refuse(token = this.#peek()): never {
    const what = token === undefined || token === '' ? 'the end' : JSON.stringify(token);
    throw new SyntaxError(`${what} is not supported here in ${JSON.stringify(this.#text)}`);
  }
}

function field(name: string): Query {
  return (value) => [isRecord(value) && Object.hasOwn(value, name) ? value[name] : null];
}

function nameOf(token: string): string {
  return token.startsWith('"') ? (JSON.parse(token) as string) : token;
}

function literalOf(token: string): { readonly value: unknown } | undefined {
  if (token.startsWith('"')) return { value: JSON.parse(token) as string };
  if (/^[-+]?\d/.test(token)) return { value: Number(token) };
  if (token === 'true' || token === 'false') return { value: token === 'true' };
  return token === 'null' ? { value: null } : undefined;
}
