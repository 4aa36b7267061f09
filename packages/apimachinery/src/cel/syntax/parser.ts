import { CelUint } from '../values/cel-value.js';
import {
  type CallExpression,
  call,
  constant,
  type Expression,
  type ListExpression,
  type MapEntry,
  type MapExpression,
  type MessageField,
  name,
  qualifiedName,
} from './expression.js';
import { readTokens, type Token } from './lexer.js';
import { expandMacro, MacroError } from './macros.js';
import { NodeBudget, TooManyNodesError } from './node-budget.js';
import { type CelIssue, SourceText } from './source-text.js';
import { readStringLiteral } from './string-literal.js';

const maxLength = 100_000;
const maxDepth = 250;

/** Thrown to stop parsing; the error is among the issues already. */
class ParserStop extends Error {
  override readonly name: string = 'ParserStop';
}

/** Parses an expression and expands its macros. Throws a `CelError` with all errors. */
export function parseExpression(text: string): { readonly expression: Expression; readonly source: SourceText } {
  const source = new SourceText(text.length > 4 * maxLength ? text.slice(0, 4 * maxLength) : text);
  if (source.length > maxLength) {
    const size = text.length > 4 * maxLength ? text.length : source.length;
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxLength}`;
    throw new SourceText('').describe([{ offset: -1, message }]);
  }
  const parser = new Parser(source);
  const expression = parser.parse();
  if (!expression || parser.issues.length > 0) throw source.describe(parser.issues);
  return { expression, source };
}

class Parser {
  readonly issues: CelIssue[] = [];
  readonly #source: SourceText;
  readonly #tokens: readonly Token[];
  /** What closes the brackets that are open, the innermost last. */
  readonly #closers: string[] = [];
  readonly #budget = new NodeBudget();
  #at = 0;
  #depth = 0;

  constructor(source: SourceText) {
    this.#source = source;
    this.#tokens = readTokens(source, { report: (offset, message) => this.#report(offset, message) });
  }

  parse(): Expression | undefined {
    try {
      const expression = this.#expression();
      if (this.#peek().kind !== 'end') this.#unexpected('<EOF>');
      return expression;
    } catch (error) {
      if (error instanceof TooManyNodesError) this.#report(-1, error.message);
      else if (!(error instanceof ParserStop)) throw error;
      return undefined;
    }
  }

  #report(offset: number, message: string): void {
    this.issues.push({ offset, message });
  }

  #stop(offset: number, message: string): never {
    this.#report(offset, message);
    throw new ParserStop(message);
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token.text === text && (token.kind === 'symbol' || isWordSymbol(token));
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#next() : undefined;
  }

  #expect(text: string, expected: string): Token {
    const token = this.#accept(text);
    if (token) return token;
    if (this.#is(text, 1)) {
      this.#report(this.#peek().offset, `Syntax error: extraneous input ${quoted(this.#next())} expecting ${expected}`);
      return this.#next();
    }
    return this.#unexpected(expected);
  }

  /** The end of a bracket; what follows it may stand there in its place. */
  #close(): void {
    if (!this.#is(')') && !this.#is(')', 1) && this.#mayFollowValue(this.#peek()))
      this.#report(this.#peek().offset, `Syntax error: missing ')' at ${quoted(this.#peek())}`);
    else this.#expect(')', "')'");
  }

  /** Whether a token can come after a whole expression in the brackets that are open. */
  #mayFollowValue(token: Token): boolean {
    const closer = this.#closers.at(-1);
    if (token.kind === 'end') return closer === undefined;
    if (token.kind !== 'symbol') return token.text === 'in';
    return continuations.has(token.text) || token.text === closer || (token.text === ',' && closer !== undefined);
  }

  #inside<T>(closer: string, read: () => T): T {
    this.#closers.push(closer);
    const result = read();
    this.#closers.pop();
    return result;
  }

  #unexpected(expected: string): never {
    const token = this.#peek();
    const what =
      this.#peek(1).kind === 'end' && token.kind !== 'end' && expected === '<EOF>' ? 'extraneous' : 'mismatched';
    return this.#stop(token.offset, `Syntax error: ${what} input ${quoted(token)} expecting ${expected}`);
  }

  #deeper<T>(read: () => T, levels = 1): T {
    this.#depth += levels;
    if (this.#depth > maxDepth) this.#stop(-1, `expression recursion limit exceeded: ${maxDepth}`);
    const result = read();
    this.#depth -= levels;
    return result;
  }

  #expression(): Expression {
    return this.#deeper(() => this.#ternary());
  }

  #ternary(): Expression {
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#binary(0)));
    const question = this.#accept('?');
    if (!question) return condition;
    const yes = this.#deeper(() =>
      this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#binary(0))),
    );
    this.#expect(':', "':'");
    const no = this.#expression();
    return this.#call(question.offset, '_?_:_', [condition, yes, no]);
  }

  /** A chain of `&&` or `||` becomes a balanced tree: long chains stay shallow. */
  #logical(symbol: string, fn: string, operand: () => Expression): Expression {
    const terms = [operand()];
    const offsets: number[] = [];
    for (let token = this.#accept(symbol); token; token = this.#accept(symbol)) {
      offsets.push(token.offset);
      terms.push(operand());
    }
    const balance = (from: number, to: number): Expression => {
      if (from === to) return terms[from] as Expression;
      const middle = from + Math.floor((to - from - 1) / 2);
      return this.#call(offsets[middle] ?? 0, fn, [balance(from, middle), balance(middle + 1, to)]);
    };
    return balance(0, terms.length - 1);
  }

  #binary(level: number): Expression {
    const operators = binaryLevels[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    let count = 0;
    for (let symbol = this.#peek(); this.#isOperator(symbol, operators); symbol = this.#peek()) {
      this.#next();
      if (this.#depth + ++count > maxDepth) this.#stop(-1, `expression recursion limit exceeded: ${maxDepth}`);
      const right = this.#binary(level + 1);
      left = this.#call(symbol.offset, operators[symbol.text] ?? '', [left, right]);
    }
    return left;
  }

  #isOperator(token: Token, operators: Readonly<Record<string, string>>): boolean {
    return (token.kind === 'symbol' || isWordSymbol(token)) && Object.hasOwn(operators, token.text);
  }

  #unary(): Expression {
    const first = this.#peek();
    const isNumber = ['int', 'uint', 'double'].includes(this.#peek(1).kind);
    if (this.#is('-') && isNumber && this.#peek(1).kind !== 'uint') return this.#postfix(this.#number(this.#next()));
    if (!this.#is('-') && !this.#is('!')) return this.#postfix(this.#primary());
    let count = 0;
    const isNextLiteral = () => first.text === '-' && ['int', 'double'].includes(this.#peek(1).kind);
    while (this.#is(first.text) && !(count > 0 && isNextLiteral())) {
      this.#next();
      count++;
    }
    const operand = this.#is('-') ? this.#unary() : this.#postfix(this.#primary());
    return count % 2 === 0 ? operand : this.#call(first.offset, first.text === '!' ? '!_' : '-_', [operand]);
  }

  #postfix(first: Expression): Expression {
    let expression = first;
    for (let count = 0; ; count++) {
      if (this.#depth + count > maxDepth) this.#stop(-1, `expression recursion limit exceeded: ${maxDepth}`);
      if (this.#is('.')) expression = this.#selection(expression);
      else if (this.#is('[')) expression = this.#index(expression);
      else if (this.#is('{') && qualifiedName(expression) !== undefined) expression = this.#message(expression);
      else return expression;
    }
  }

  #selection(operand: Expression): Expression {
    const dot = this.#next();
    const optional = this.#accept('?');
    const token = this.#peek();
    if (token.kind !== 'identifier' || isWordSymbol(token)) return this.#refuseField(dot, operand);
    if (token.text.startsWith('`')) this.#stop(token.offset, "unsupported syntax: '`'");
    this.#next();
    if (optional) return this.#call(dot.offset, '_?._', [operand, constant(token.offset, token.text)]);
    const open = this.#accept('(');
    if (open) return this.#finishCall(open.offset, token.text, operand);
    this.#budget.spend(1);
    return { kind: 'select', offset: dot.offset, operand, field: token.text, testOnly: false };
  }

  /** Reads on where the value without a field could go on. */
  #refuseField(dot: Token, operand: Expression): Expression {
    const token = this.#peek();
    if (['true', 'false', 'null'].includes(token.text))
      return this.#stop(token.offset, `Syntax error: mismatched input ${quoted(token)} expecting IDENTIFIER`);
    const end = token.kind === 'end' ? dot.offset + dot.text.length : token.offset + [...token.text].length;
    const input = this.#source.slice(dot.offset, end);
    this.#report(token.offset, `Syntax error: no viable alternative at input '${escaped(input)}'`);
    while (this.#peek().kind !== 'end' && !this.#mayFollowValue(this.#peek())) this.#next();
    return operand;
  }

  #index(operand: Expression): Expression {
    const open = this.#next();
    const optional = this.#accept('?');
    const index = this.#inside(']', () => this.#expression());
    this.#expect(']', "']'");
    return this.#call(open.offset, optional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #primary(): Expression {
    const token = this.#peek();
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
        return this.#number();
      case 'string':
      case 'bytes':
        return this.#text();
      case 'identifier':
        return isWordSymbol(token) && token.text === 'in' ? this.#refuseStart() : this.#identifier();
      default:
        return this.#bracketed(token);
    }
  }

  #bracketed(token: Token): Expression {
    if (this.#is('(')) {
      this.#next();
      const expression = this.#inside(')', () => this.#expression());
      this.#close();
      return expression;
    }
    if (this.#is('[')) return this.#list();
    if (this.#is('{')) return this.#map();
    if (this.#is('.') && this.#peek(1).kind === 'identifier') {
      this.#next();
      return this.#identifier(token.offset, '.');
    }
    return this.#refuseStart();
  }

  #refuseStart(expected: string = expressionStarts): Expression {
    const token = this.#peek();
    const next = this.#peek(1);
    const nextStarts = next.kind !== 'end' && (next.kind !== 'symbol' || '[{(.-!'.includes(next.text));
    if (token.kind !== 'end' && nextStarts) {
      this.#report(token.offset, `Syntax error: extraneous input ${quoted(token)} expecting ${expected}`);
      this.#next();
      return this.#deeper(() => this.#unary());
    }
    return this.#stop(token.offset, `Syntax error: mismatched input ${quoted(token)} expecting ${expected}`);
  }

  #identifier(offset = this.#peek().offset, prefix = ''): Expression {
    const token = this.#next();
    if (token.text.startsWith('`')) this.#stop(token.offset, "unsupported syntax: '`'");
    if (token.text === 'true' || token.text === 'false') return constant(offset, token.text === 'true');
    if (token.text === 'null') return constant(offset, null);
    const text = prefix + token.text;
    if (reservedWords.has(token.text)) this.#report(offset, `reserved identifier: ${token.text}`);
    const open = this.#accept('(');
    if (open) return this.#finishCall(open.offset, text, undefined);
    this.#budget.spend(1);
    return name(offset, text);
  }

  #finishCall(offset: number, fn: string, target: Expression | undefined): Expression {
    const args: Expression[] = [];
    if (!this.#accept(')')) {
      do args.push(this.#inside(')', () => this.#expression()));
      while (this.#accept(','));
      this.#close();
    }
    const expanded = this.#expand(this.#call(offset, fn, args, target));
    return expanded;
  }

  #expand(expression: CallExpression): Expression {
    try {
      return expandMacro(expression, this.#budget) ?? expression;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#report(error.offset, error.message);
      return constant(expression.offset, null);
    }
  }

  #call(offset: number, fn: string, args: readonly Expression[], target?: Expression): CallExpression {
    this.#budget.spend(1);
    return call(offset, fn, args, target);
  }

  #list(): ListExpression {
    const open = this.#next();
    const items: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#is(']')) {
      if (this.#accept(',') && this.#is(']')) break;
      if (this.#peek().kind === 'end' && items.length === 0) this.#unexpected(listStarts);
      if (this.#accept('?')) optional.add(items.length);
      items.push(this.#inside(']', () => this.#expression()));
      if (!this.#is(',')) break;
      this.#next();
    }
    this.#expect(']', "{']', ','}");
    this.#budget.spend(1);
    return { kind: 'list', offset: open.offset, items, optional };
  }

  #map(): MapExpression {
    const open = this.#next();
    const entries: MapEntry[] = [];
    while (!this.#is('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#inside('}', () => this.#expression());
      this.#expect(':', "':'");
      entries.push({ key, value: this.#inside('}', () => this.#expression()), optional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}', "{'}', ','}");
    this.#budget.spend(1);
    return { kind: 'map', offset: open.offset, entries };
  }

  #message(type: Expression): Expression {
    const open = this.#next();
    const fields: MessageField[] = [];
    while (!this.#is('}')) {
      const optional = this.#accept('?') !== undefined;
      const token = this.#peek();
      if (token.kind !== 'identifier')
        this.#unexpected(fields.length === 0 && !optional ? messageStarts : 'IDENTIFIER');
      this.#next();
      const colon = this.#expect(':', "':'");
      const value = this.#inside('}', () => this.#expression());
      fields.push({ name: token.text, offset: colon.offset, value, optional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}', "{'}', ','}");
    this.#budget.spend(1);
    return { kind: 'message', offset: open.offset, name: qualifiedName(type) ?? '', fields };
  }

  #number(sign?: Token): Expression {
    const token = this.#next();
    const offset = sign?.offset ?? token.offset;
    const text = `${sign ? '-' : ''}${token.text}`;
    if (token.kind === 'double') {
      if (!Number.isFinite(Number(text))) this.#report(offset, 'invalid double literal');
      return constant(offset, Number(text));
    }
    const digits = token.kind === 'uint' ? token.text.slice(0, -1) : token.text;
    const value = sign ? -BigInt(digits) : BigInt(digits);
    if (token.kind === 'uint') {
      if (value >= 2n ** 64n) this.#report(offset, 'invalid uint literal');
      return constant(offset, new CelUint(value));
    }
    if (value >= 2n ** 63n || value < -(2n ** 63n)) this.#report(offset, 'invalid int literal');
    return constant(offset, value);
  }

  #text(): Expression {
    const token = this.#next();
    const value = readStringLiteral(token.text);
    if (value === undefined) this.#report(token.offset, 'unable to unescape string');
    return constant(token.offset, value ?? '');
  }
}

const binaryLevels: readonly Readonly<Record<string, string>>[] = [
  { '<': '_<_', '<=': '_<=_', '>=': '_>=_', '>': '_>_', '==': '_==_', '!=': '_!=_', in: '@in' },
  { '+': '_+_', '-': '_-_' },
  { '*': '_*_', '/': '_/_', '%': '_%_' },
];

const literals = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const expressionStarts = `{'[', '{', '(', '.', '-', '!', ${literals}}`;
const messageStarts = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";
const listStarts = `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${literals}}`;

/** What a value can be followed by anywhere. */
const continuations: ReadonlySet<string> = new Set('. [ ? + - * / % < <= > >= == != && ||'.split(' '));

/** Names that the language keeps for itself; fields may have them. */
const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Words that are symbols, and so never names. */
function isWordSymbol(token: Token): boolean {
  return token.kind === 'identifier' && ['in', 'true', 'false', 'null'].includes(token.text);
}

function quoted(token: Token): string {
  return `'${escaped(token.text)}'`;
}

function escaped(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
}
