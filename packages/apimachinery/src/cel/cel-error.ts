/**
 * Why an expression failed: it does not compile, a constant in it fails, it failed on these values, or it would take
 * too long.
 */
export type CelErrorKind = 'compile' | 'program' | 'evaluate' | 'cost';

/** An evaluation error. The message is for the author of the expression. */
export class CelError extends Error {
  override readonly name: string = 'CelError';
  readonly kind: CelErrorKind;
  /** The position in the expression, from 1; absent if it is not known. */
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
