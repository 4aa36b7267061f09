import type { Factory } from '../factory.js';
import type { Host } from '../host.js';
import type { FlagValues } from './flag-values.js';
import type { Generated } from './generated-object.js';

/** The name, arguments, flags and help of a command. The command line, help and completion are made from it. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly short: string;
  readonly long?: string;
  readonly example?: string;
  /** The line under `Usage:`. */
  readonly usage: string;
  /** Lines of `[-s, ]--name type[=default][?value without argument] description`; see `parseFlagLines`. */
  readonly flags?: readonly string[];
  /** Flags that help does not show. */
  readonly hiddenFlags?: readonly string[];
  /** Flags that exist only if an environment variable is `true`. */
  readonly flagsByVariable?: Readonly<Record<string, string>>;
  /** Deprecated flags with their replacements. */
  readonly deprecatedFlags?: Readonly<Record<string, string>>;
  readonly requiredFlags?: readonly string[];
  readonly subcommands?: readonly CommandSpec[];
  readonly hidden?: boolean;
  /** Loads the code when the command is run. Absent where there are only subcommands. */
  readonly run?: () => Promise<{ run(context: Context): Promise<void> }>;
  /** Loads the generator of a `create` command. */
  readonly generate?: () => Promise<{ generate(context: Context): Generated | Promise<Generated> }>;
}

/** The context of a command: its arguments, the cluster and the host. */
export interface Context {
  readonly host: Host;
  readonly factory: Factory;
  readonly flags: FlagValues;
  readonly args: readonly string[];
  /** Number of `args` before `--`; -1 without one. */
  readonly dash: number;
  readonly command: CommandSpec;
}
