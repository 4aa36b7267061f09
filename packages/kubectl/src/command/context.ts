import type { Factory } from '../factory/factory.js';
import type { Host } from '../host.js';
import { CommandError } from './command-error.js';
import type { CommandSpec } from './command-spec.js';
import type { FlagValues } from './flag-values.js';
import { pathOf } from './format-help.js';

/** What a command works with: its words, the cluster and the machine. */
export interface Context {
  readonly host: Host;
  readonly factory: Factory;
  readonly flags: FlagValues;
  readonly args: readonly string[];
  /** How many of `args` stand before `--`; -1 without one. */
  readonly dash: number;
  readonly command: CommandSpec;
}

/** Writes to standard output. */
export function print({ host }: Context, text: string): void {
  host.stdout.write(text);
}

/** Writes a line to standard error. */
export function warn({ host }: Context, line: string): void {
  host.stderr.write(`${line}\n`);
}

/** The words were wrong: the failure points to the help. */
export function usageError({ command }: Pick<Context, 'command'>, message: string): CommandError {
  return new CommandError(`${message}\nSee '${pathOf(command)} -h' for help and examples`);
}
