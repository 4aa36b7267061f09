/** Why an expression failed: it does not compile, it failed on these values, or it would take too long. */
export type CelErrorKind = 'compile' | 'evaluate' | 'cost';

/** A failure of an expression. The message is meant for whoever wrote it. */
export class CelError extends Error {
  override readonly name: string = 'CelError';
  readonly kind: CelErrorKind;
  /** Where in the expression, from 1; absent when it is not known. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(kind: CelErrorKind, message: string, position?: { readonly line: number; readonly column: number }) {
    super(message);
    this.kind = kind;
    this.line = position?.line;
    this.column = position?.column;
  }

  static is(error: unknown): error is CelError {
    return error instanceof Error && error.name === 'CelError';
  }
}

/** What the library throws. */
interface LibraryError {
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number };
}

/** With the place in the source, drawn as CEL compilers do it. */
export function compileError(expression: string, error: LibraryError): CelError {
  const message = reword(error.summary ?? error.message);
  const offset = Math.min(error.range?.start ?? 0, expression.length);
  const before = expression.slice(0, offset).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  const source = expression.split('\n')[line - 1] ?? '';
  const drawing = ` | ${source}\n | ${'.'.repeat(column - 1)}^`;
  return new CelError('compile', `ERROR: <input>:${line}:${column}: ${message}\n${drawing}`, { line, column });
}

export function evaluationError(error: LibraryError): CelError {
  return new CelError('evaluate', reword(error.summary ?? error.message));
}

function reword(message: string): string {
  return message
    .replace(/^Unknown variable: (.*)$/, "undeclared reference to '$1' (in container '')")
    .replace(/^No such key: /, 'no such key: ');
}
