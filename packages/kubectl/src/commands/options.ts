import { type Context, print } from '../command/context.js';
import { parseFlagLines } from '../command/flag-spec.js';
import { formatFlags } from '../command/format-help.js';
import { globalFlags } from '../command-table/global-flags.js';

export async function run(context: Context): Promise<void> {
  const flags = parseFlagLines(globalFlags);
  print(context, `The following options can be passed to any command:\n\n${formatFlags(flags)}`);
}
