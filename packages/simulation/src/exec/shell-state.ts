import type { Command } from '../shell/script.js';
import { LineSource } from './line-source.js';

/** Leaves the commands of a script: `exit`, `return`, `break` and `continue`. */
export class ShellJump extends Error {
  override readonly name: string = 'ShellJump';
  readonly kind: 'exit' | 'return' | 'break' | 'continue';
  readonly code: number;
  #levels: number;

  constructor(kind: ShellJump['kind'], code: number, levels = 1) {
    super(kind);
    this.kind = kind;
    this.code = code;
    this.#levels = levels;
  }

  /** Passes the end of one loop; true at the one that it was for. */
  leavesOne(): boolean {
    this.#levels--;
    return this.#levels <= 0;
  }
}

/** What a shell remembers. */
export class ShellState {
  /** Its name in messages. */
  readonly name: string;
  readonly variables: Map<string, string>;
  /** The names of variables that programs are start. */
  readonly exported: Set<string>;
  readonly functions: Map<string, Command>;
  positional: readonly string[];
  exitsOnError: boolean;
  exitCode = 0;
  /** What runs in the background. */
  readonly jobs: Promise<number>[] = [];
  /** Inputs that `read` has begun to read: each goes on where the last one ended. */
  readonly #inputs = new Map<AsyncIterable<Uint8Array>, LineSource>();

  constructor(start: {
    readonly name: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly positional: readonly string[];
    readonly exitsOnError: boolean;
  }) {
    this.name = start.name;
    this.variables = new Map(Object.entries(start.environment));
    this.exported = new Set(this.variables.keys());
    this.functions = new Map();
    this.positional = start.positional;
    this.exitsOnError = start.exitsOnError;
  }

  /** For a subshell: what it changes stays its own. */
  copy(): ShellState {
    const { name, positional, exitsOnError } = this;
    const copy = new ShellState({ name, positional, exitsOnError, environment: Object.fromEntries(this.variables) });
    copy.exported.clear();
    for (const variable of this.exported) copy.exported.add(variable);
    for (const [called, body] of this.functions) copy.functions.set(called, body);
    copy.exitCode = this.exitCode;
    return copy;
  }

  linesOf(input: AsyncIterable<Uint8Array>): LineSource {
    const begun = this.#inputs.get(input) ?? new LineSource(input);
    this.#inputs.set(input, begun);
    return begun;
  }

  get environment(): Record<string, string> {
    return Object.fromEntries([...this.variables].filter(([variable]) => this.exported.has(variable)));
  }

  valueOf(name: string): string | undefined {
    if (name === '?') return String(this.exitCode);
    if (name === '#') return String(this.positional.length);
    if (name === '$') return '1';
    if (name === '0') return this.name;
    return /^[1-9]/.test(name) ? this.positional[Number(name) - 1] : this.variables.get(name);
  }
}
