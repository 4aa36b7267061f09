/** A failure that ends a command. Its message is printed after `error: `, unless `plain` says to print it as it is. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;
  readonly plain: boolean;

  constructor(message: string, options: { readonly exitCode?: number; readonly plain?: boolean } = {}) {
    super(message);
    this.exitCode = options.exitCode ?? 1;
    this.plain = options.plain ?? false;
  }
}

/** Ends a command with an exit code after everything was printed. */
export class ExitCode extends Error {
  override readonly name = 'ExitCode';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Several failures; each is printed on its own line. */
export class ErrorList extends Error {
  override readonly name = 'ErrorList';
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super(errors.map((error) => (error instanceof Error ? error.message : String(error))).join(', '));
    this.errors = errors;
  }
}

/** Throws the collected failures: none, the only one, or all of them. */
export function throwCollected(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new ErrorList(errors);
}

/** A failure whose text begins with `error: ` also where several are listed. */
export function withErrorPrefix(error: unknown): unknown {
  return error instanceof CommandError && !error.message.startsWith('error: ')
    ? new CommandError(`error: ${error.message}`)
    : error;
}
