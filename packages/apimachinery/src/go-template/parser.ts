import type { Command, Node, Operand, ParsedTemplate, Pipe } from './ast.js';
import { lineAt, TemplateError, type Token, tokenize } from './lexer.js';
import { unquote } from './quote.js';

type BlockEnd = 'end' | 'else';

/** Parses Go's template language. Functions must be declared. */
export function parseTemplate(source: string, name: string, functions: ReadonlySet<string>): ParsedTemplate {
  const parser = new Parser(source, name, functions);
  const body = parser.parse();
  return { name, source, body, definitions: parser.definitions };
}

class Parser {
  readonly definitions = new Map<string, readonly Node[]>();
  readonly #source: string;
  readonly #name: string;
  readonly #functions: ReadonlySet<string>;
  readonly #tokens: Token[];
  /** Variables in scope. */
  #variables: string[] = ['$'];
  #at = 0;
  #ranges = 0;

  constructor(source: string, name: string, functions: ReadonlySet<string>) {
    this.#source = source;
    this.#name = name;
    this.#functions = functions;
    this.#tokens = tokenize(source, name);
  }

  parse(): Node[] {
    const { nodes, end } = this.#nodes();
    if (end) this.#fail(`unexpected {{${end}}}`);
    return nodes;
  }

  /** Up to `{{end}}`, `{{else}}` or the end of the text. */
  #nodes(): { nodes: Node[]; end?: BlockEnd; elseWord?: string } {
    const nodes: Node[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === 'end') return { nodes };
      if (token.kind === 'text') nodes.push({ kind: 'text', text: token.text });
      else {
        const word = this.#peekWord();
        if (word === 'end') {
          this.#skipWord();
          this.#close('end');
          return { nodes, end: 'end' };
        }
        if (word === 'else') {
          this.#skipWord();
          return { nodes, end: 'else' };
        }
        nodes.push(...this.#action(word));
      }
    }
  }

  #action(word: string | undefined): Node[] {
    switch (word) {
      case 'if':
      case 'with':
      case 'range':
        this.#skipWord();
        return [this.#control(word)];
      case 'define':
        this.#skipWord();
        this.#define();
        return [];
      case 'block':
        this.#skipWord();
        return [this.#block()];
      case 'template':
        this.#skipWord();
        return [this.#template()];
      case 'break':
      case 'continue':
        if (this.#ranges === 0) this.#fail(`{{${word}}} outside {{range}}`);
        this.#skipWord();
        this.#close(word);
        return [{ kind: word }];
      default: {
        const pipe = this.#pipe('command');
        this.#close('command');
        return [{ kind: 'action', pipe }];
      }
    }
  }

  #control(kind: 'if' | 'with' | 'range'): Node {
    const scope = this.#variables.length;
    const pipe = this.#pipe(kind);
    this.#close(kind);
    if (kind === 'range') this.#ranges++;
    const { nodes: body, end } = this.#nodes();
    if (kind === 'range') this.#ranges--;
    if (!end) this.#fail('unexpected EOF');
    let otherwise: readonly Node[] = [];
    if (end === 'else') {
      const word = this.#peekWord();
      if (word === 'if' || word === 'with') {
        this.#skipWord();
        otherwise = [this.#control(word)];
      } else {
        this.#close('else');
        const rest = this.#nodes();
        if (rest.end !== 'end') this.#fail(rest.end ? 'expected end; found {{else}}' : 'unexpected EOF');
        otherwise = rest.nodes;
      }
    }
    this.#variables = this.#variables.slice(0, scope);
    return { kind, pipe, body, otherwise };
  }

  #define(): string {
    this.#skipSpace();
    const token = this.#take();
    if (token.kind !== 'string') this.#fail(`unexpected ${JSON.stringify(token.text)} in define clause`);
    this.#close('define clause');
    const outer = this.#variables;
    this.#variables = ['$'];
    const { nodes, end } = this.#nodes();
    this.#variables = outer;
    if (end !== 'end') this.#fail('unexpected EOF in define clause');
    const name = unquote(token.text);
    this.definitions.set(name, nodes);
    return name;
  }

  #block(): Node {
    this.#skipSpace();
    const token = this.#take();
    if (token.kind !== 'string') this.#fail(`unexpected ${JSON.stringify(token.text)} in block clause`);
    const pipe = this.#pipe('block clause');
    this.#close('block clause');
    const outer = this.#variables;
    this.#variables = ['$'];
    const { nodes, end } = this.#nodes();
    this.#variables = outer;
    if (end !== 'end') this.#fail('unexpected EOF in block clause');
    const name = unquote(token.text);
    this.definitions.set(name, nodes);
    return { kind: 'template', name, pipe, position: token.position, source: token.text };
  }

  #template(): Node {
    this.#skipSpace();
    const token = this.#take();
    if (token.kind !== 'string') this.#fail(`unexpected ${JSON.stringify(token.text)} in template clause`);
    const place = { position: token.position, source: `template ${token.text}` };
    this.#skipSpace();
    const hasPipe = this.#peek().kind !== 'close';
    const pipe = hasPipe ? this.#pipe('template clause') : undefined;
    this.#close('template clause');
    return { kind: 'template', name: unquote(token.text), ...(pipe && { pipe }), ...place };
  }

  #pipe(context: string): Pipe {
    this.#skipSpace();
    const begin = this.#peek().position;
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      this.#skipSpace();
      const next = this.#peek();
      if (next.kind === 'close' || next.text === ')') {
        if (commands.length === 0) this.#fail(`missing value for ${context}`);
        return { variables, assigns, commands, position: begin, source: this.#slice(begin) };
      }
      commands.push(this.#command(context));
      this.#skipSpace();
      if (this.#peek().text === '|') {
        this.#take();
        this.#skipSpace();
        if (this.#peek().kind === 'close') this.#fail(`missing value for ${context}`);
      } else if (this.#peek().kind !== 'close' && this.#peek().text !== ')')
        this.#fail(`unexpected ${JSON.stringify(this.#peek().text)} in operand`);
    }
  }

  /** `$x := `, `$i, $x := ` and `$x = `. */
  #declarations(context: string): { variables: string[]; assigns: boolean } {
    const before = this.#at;
    const names: string[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#peek();
      if (token.kind !== 'variable') break;
      this.#take();
      names.push(token.text);
      this.#skipSpace();
      const sign = this.#peek().text;
      if (sign === ':=' || sign === '=') {
        this.#take();
        if (sign === ':=') this.#variables.push(...names);
        return { variables: names, assigns: sign === '=' };
      }
      if (sign !== ',' || context !== 'range' || names.length > 1) break;
      this.#take();
    }
    this.#at = before;
    return { variables: [], assigns: false };
  }

  #command(context: string): Command {
    const begin = this.#peek().position;
    const operands: Operand[] = [];
    for (;;) {
      const operand = this.#operand(context);
      if (!operand) break;
      operands.push(operand);
      if (this.#peek().kind !== 'space') break;
      this.#skipSpace();
      const next = this.#peek();
      if (next.kind === 'close' || next.text === '|' || next.text === ')') break;
    }
    if (operands.length === 0) this.#fail('empty command');
    return { operands, position: operands[0]?.position ?? begin, source: this.#slice(begin).trim() };
  }

  #operand(context: string): Operand | undefined {
    const token = this.#peek();
    const place = { position: token.position, source: token.text };
    switch (token.kind) {
      case 'dot':
        this.#take();
        return { kind: 'dot', ...place };
      case 'field': {
        const { path, position } = this.#fields();
        return { kind: 'field', path, position, source: this.#slice(token.position) };
      }
      case 'variable': {
        this.#take();
        if (!this.#variables.includes(token.text)) this.#fail(`undefined variable ${JSON.stringify(token.text)}`);
        const { path, position } = this.#fields();
        return {
          kind: 'variable',
          name: token.text,
          path,
          position: path.length > 0 ? position : token.position,
          source: this.#slice(token.position),
        };
      }
      case 'word':
        return this.#word(token);
      case 'number':
        this.#take();
        return { kind: 'constant', value: readNumber(token.text), ...place };
      case 'string':
        this.#take();
        return { kind: 'constant', value: unquote(token.text), ...place };
      case 'char':
        this.#take();
        return { kind: 'constant', value: BigInt(unquote(token.text).codePointAt(0) ?? 0), ...place };
      case 'symbol':
        if (token.text === '(') return this.#parenthesized(token);
        return this.#fail(`unexpected ${JSON.stringify(token.text)} in ${context}`);
      default:
        return undefined;
    }
  }

  #word(token: Token): Operand {
    this.#take();
    const place = { position: token.position, source: token.text };
    if (token.text === 'nil') return { kind: 'nil', ...place };
    if (token.text === 'true' || token.text === 'false')
      return { kind: 'constant', value: token.text === 'true', ...place };
    if (!this.#functions.has(token.text)) this.#fail(`function ${JSON.stringify(token.text)} not defined`);
    return { kind: 'function', name: token.text, ...place };
  }

  #parenthesized(token: Token): Operand {
    this.#take();
    const pipe = this.#pipe('parenthesized pipeline');
    this.#skipSpace();
    if (this.#take().text !== ')') this.#fail('unclosed left paren');
    const { path } = this.#fields();
    return { kind: 'pipe', pipe, path, position: token.position, source: this.#slice(token.position) };
  }

  #fields(): { path: string[]; position: number } {
    const path: string[] = [];
    let position = this.#peek().position;
    while (this.#peek().kind === 'field') {
      const token = this.#take();
      if (path.length <= 1) position = token.position;
      path.push(token.text.slice(1));
    }
    return { path, position };
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #skipSpace(): void {
    while (this.#peek().kind === 'space') this.#at++;
  }

  #peekWord(): string | undefined {
    let i = this.#at;
    while (this.#tokens[i]?.kind === 'space') i++;
    const token = this.#tokens[i];
    return token?.kind === 'word' ? token.text : undefined;
  }

  #skipWord(): void {
    this.#skipSpace();
    this.#take();
  }

  #close(context: string): void {
    this.#skipSpace();
    const token = this.#take();
    if (token.kind !== 'close') this.#fail(`unexpected ${JSON.stringify(token.text)} in ${context}`);
  }

  #slice(begin: number): string {
    return this.#source.slice(begin, this.#peek().position);
  }

  #fail(message: string): never {
    throw new TemplateError(
      `template: ${this.#name}:${lineAt(this.#source, this.#tokens[Math.max(0, this.#at - 1)]?.position ?? 0)}: ${message}`,
    );
  }
}

/** Whole numbers stay apart from others, as in Go. */
function readNumber(text: string): number | bigint {
  const digits = text.replaceAll('_', '');
  if (/^[+-]?0[0-7]+$/.test(digits)) return BigInt(Number.parseInt(digits, 8));
  if (/[.eE]/.test(digits) && !/^[+-]?0[xX]/.test(digits)) return Number(digits);
  const sign = digits.startsWith('-') ? -1n : 1n;
  return sign * BigInt(digits.replace(/^[+-]/, ''));
}
