import type { Command, Node, Operand, ParsedTemplate, Pipe, Place } from './ast.js';
import { isTrue, type TemplateFunction, templateFunctions } from './functions.js';
import { formatValue, noValue, typeName } from './go-format.js';
import { lineAt, TemplateError } from './lexer.js';
import { parseTemplate } from './parser.js';

export interface TemplateOptions {
  /** A key that a map has not is a failure. */
  readonly strict?: boolean;
  /** Functions besides those of Go's templates. */
  readonly functions?: Readonly<Record<string, TemplateFunction>>;
}

class LoopSignal extends Error {
  readonly kind: 'break' | 'continue';
  constructor(kind: 'break' | 'continue') {
    super(kind);
    this.kind = kind;
  }
}

const maxDepth = 1000;

/** A template of Go's language, ready to be filled in. */
export class GoTemplate {
  readonly #parsed: ParsedTemplate;

  /** Throws a `TemplateError` for an invalid template. */
  constructor(source: string, name = 'output', moreFunctions: Iterable<string> = []) {
    this.#parsed = parseTemplate(source, name, new Set([...Object.keys(templateFunctions), ...moreFunctions]));
  }

  execute(data: unknown, options: TemplateOptions = {}): string {
    return new Execution(this.#parsed, options).run(data);
  }
}

type Scope = { name: string; value: unknown }[];

class Execution {
  readonly #template: ParsedTemplate;
  readonly #options: TemplateOptions;
  #out = '';
  #depth = 0;
  #name: string;

  constructor(template: ParsedTemplate, options: TemplateOptions) {
    this.#template = template;
    this.#options = options;
    this.#name = template.name;
  }

  run(data: unknown): string {
    this.#walk(this.#template.body, data, [{ name: '$', value: data }]);
    return this.#out;
  }

  #walk(nodes: readonly Node[], dot: unknown, scope: Scope): void {
    for (const node of nodes) this.#step(node, dot, scope);
  }

  #step(node: Node, dot: unknown, scope: Scope): void {
    switch (node.kind) {
      case 'text':
        this.#out += node.text;
        return;
      case 'action': {
        const value = this.#pipe(node.pipe, dot, scope);
        if (node.pipe.variables.length === 0) this.#out += formatValue(value);
        return;
      }
      case 'if':
      case 'with':
        this.#choose(node, dot, scope);
        return;
      case 'range':
        this.#range(node, dot, scope);
        return;
      case 'template':
        this.#call(node, dot, scope);
        return;
      default:
        throw new LoopSignal(node.kind);
    }
  }

  #choose(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, dot: unknown, scope: Scope): void {
    const inner = [...scope];
    const value = this.#pipe(node.pipe, dot, inner);
    if (isTrue(value)) this.#walk(node.body, node.kind === 'with' ? value : dot, inner);
    else this.#walk(node.otherwise, dot, inner);
  }

  #range(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, dot: unknown, scope: Scope): void {
    const { variables, assigns } = node.pipe;
    const value = this.#commands(node.pipe, dot, scope);
    const entries = this.#entriesOf(value, node.pipe);
    if (entries.length === 0) {
      this.#walk(node.otherwise, dot, [...scope]);
      return;
    }
    for (const [key, item] of entries) {
      const inner = [...scope];
      const [first, second] = variables;
      const set = (name: string | undefined, to: unknown) => {
        if (name && assigns) this.#assign(name, to, scope);
        else if (name) inner.push({ name, value: to });
      };
      set(first, second ? key : item);
      set(second, item);
      try {
        this.#walk(node.body, item, inner);
      } catch (signal) {
        if (!(signal instanceof LoopSignal)) throw signal;
        if (signal.kind === 'break') break;
      }
    }
  }

  #entriesOf(value: unknown, place: Place): readonly (readonly [unknown, unknown])[] {
    if (value === noValue || value === null || value === undefined) return [];
    if (Array.isArray(value)) return value.map((item, i) => [BigInt(i), item]);
    if (typeof value === 'object') return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    if (typeof value === 'bigint') return Array.from({ length: Number(value) }, (_, i) => [BigInt(i), BigInt(i)]);
    if (typeof value === 'string')
      return [...value].map((letter, i) => [BigInt(i), BigInt(letter.codePointAt(0) ?? 0)]);
    return this.#fail(place, `range can't iterate over ${formatValue(value)}`);
  }

  #call(node: Extract<Node, { kind: 'template' }>, dot: unknown, scope: Scope): void {
    const body = this.#template.definitions.get(node.name);
    if (!body) this.#fail(node, `template ${JSON.stringify(node.name)} not defined`);
    if (this.#depth++ >= maxDepth) this.#fail(node, `exceeded maximum template depth (${maxDepth})`);
    const value = node.pipe ? this.#pipe(node.pipe, dot, scope) : null;
    const outer = this.#name;
    this.#name = node.name;
    this.#walk(body ?? [], value, [{ name: '$', value }]);
    this.#name = outer;
    this.#depth--;
  }

  #pipe(pipe: Pipe, dot: unknown, scope: Scope): unknown {
    const value = this.#commands(pipe, dot, scope);
    for (const name of pipe.variables) {
      if (pipe.assigns) this.#assign(name, value, scope);
      else scope.push({ name, value });
    }
    return value;
  }

  #assign(name: string, value: unknown, scope: Scope): void {
    const found = scope.findLast((variable) => variable.name === name);
    if (found) found.value = value;
  }

  #commands(pipe: Pipe, dot: unknown, scope: Scope): unknown {
    let value: unknown;
    pipe.commands.forEach((command, i) => {
      value = this.#command(command, { dot, scope, ...(i > 0 && { last: [value] }) });
    });
    return value;
  }

  #command(command: Command, { dot, scope, last = [] }: { dot: unknown; scope: Scope; last?: unknown[] }): unknown {
    const [first, ...rest] = command.operands;
    if (!first) return null;
    if (first.kind === 'function')
      return this.#invoke(first, command, () => [
        ...rest.map((operand) => this.#operand(operand, dot, scope)),
        ...last,
      ]);
    if (rest.length > 0 || last.length > 0) this.#fail(first, `can't give argument to non-function ${first.source}`);
    return this.#operand(first, dot, scope);
  }

  #invoke(operand: Extract<Operand, { kind: 'function' }>, command: Command, args: () => unknown[]): unknown {
    const call = this.#options.functions?.[operand.name] ?? templateFunctions[operand.name];
    const values = args();
    try {
      return call?.(...values.map((value) => (value === noValue ? null : value)));
    } catch (error) {
      return this.#fail(command, `error calling ${operand.name}: ${(error as Error).message}`);
    }
  }

  #operand(operand: Operand, dot: unknown, scope: Scope): unknown {
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'nil':
        return this.#fail(operand, 'nil is not a command');
      case 'constant':
        return operand.value;
      case 'field':
        return this.#fields(dot, operand.path, operand);
      case 'variable': {
        const found = scope.findLast(({ name }) => name === operand.name);
        return this.#fields(found?.value, operand.path, operand);
      }
      case 'function':
        return this.#invoke(
          operand,
          { operands: [operand], position: operand.position, source: operand.source },
          () => [],
        );
      case 'pipe':
        return this.#fields(this.#pipe(operand.pipe, dot, [...scope]), operand.path, operand);
      default:
        return operand satisfies never;
    }
  }

  #fields(value: unknown, path: readonly string[], place: Place): unknown {
    let current = value;
    for (const name of path) {
      // A field of a missing value is missing too; a field of null is an error.
      if (current === noValue) return noValue;
      if (current === null || current === undefined)
        return this.#fail(place, `nil pointer evaluating interface {}.${name}`);
      if (typeof current !== 'object' || Array.isArray(current))
        return this.#fail(place, `can't evaluate field ${name} in type ${typeName(current)}`);
      if (Object.hasOwn(current, name)) current = (current as Record<string, unknown>)[name];
      else if (this.#options.strict) return this.#fail(place, `map has no entry for key ${JSON.stringify(name)}`);
      else current = noValue;
    }
    return current;
  }

  #fail(place: Place, message: string): never {
    const { source, name } = this.#template;
    const before = source.slice(0, place.position);
    const column = place.position - (before.lastIndexOf('\n') < 0 ? 0 : before.lastIndexOf('\n') + 1);
    throw new TemplateError(
      `template: ${name}:${lineAt(source, place.position)}:${column}: executing ${JSON.stringify(this.#name)} at <${place.source.trim()}>: ${message}`,
    );
  }
}
