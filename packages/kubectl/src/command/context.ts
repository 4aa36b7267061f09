import { CommandError } from './command-error.js';
import type { Context } from './command-spec.js';
import { pathOf } from './format-help.js';

export type { Context } from './command-spec.js';

/** Writes to standard output. */
export function print({ host }: Context, text: string): void {
  host.stdout.write(text);
}

/** Writes a line to standard error. */
export function warn({ host }: Context, line: string): void {
  host.stderr.write(`${line}\n`);
}

/** Usage error: the message points to the help. */
export function usageError({ command }: Pick<Context, 'command'>, message: string): CommandError {
  return new CommandError(`${message}\nSee '${pathOf(command)} -h' for help and examples`);
}
