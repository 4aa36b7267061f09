import type { Context } from '../command/command-spec.js';
import { type FlagSpec, parseFlagLines } from '../command/flag-spec.js';
import { FlagValues } from '../command/flag-values.js';
import { globalFlags } from '../command-table/global-flags.js';
import { findCommand } from '../run/find-command.js';
import type { Session } from './session.js';

/** Flags by their names, as values. */
export type FlagRecord = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface CommandWords {
  /** `set image`, `auth can-i`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** The arguments behind `--`. */
  readonly rest?: readonly string[];
  readonly flags?: FlagRecord;
}

/** The context of a command that is called with values instead of arguments. */
export async function contextOf(
  session: Session,
  { command: path, args = [], rest, flags = {} }: CommandWords,
): Promise<Context> {
  const { command } = await findCommand(path.split(' '));
  if (!command) throw new Error(`kubectl has no command ${path}`);
  const { flags: shown = [], hiddenFlags = [], flagsByVariable = {} } = command;
  const lines = [...shown, ...hiddenFlags, ...Object.values(flagsByVariable)];
  const specs = [...lines.flatMap(parseFlagLines), ...parseFlagLines(globalFlags)];
  const unique = specs.filter((spec, i) => specs.findIndex(({ name }) => name === spec.name) === i);
  const values = new FlagValues(unique);
  for (const [name, value] of Object.entries(flags)) setFlag(values, name, value);
  const dash = rest ? args.length : -1;
  return { ...session.context, flags: values, args: [...args, ...(rest ?? [])], dash, command };
}

function setFlag(values: FlagValues, name: string, value: FlagRecord[string]): void {
  if (typeof value === 'object') for (const one of value) values.set(name, listed(one, values.spec(name)));
  else if (value !== undefined) values.set(name, String(value));
}

/** A value in a comma-separated list. */
function listed(text: string, spec: FlagSpec | undefined): string {
  return spec?.type === 'stringSlice' && /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
