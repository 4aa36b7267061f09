import { CommandError, ExitCode } from '../command/command-error.js';
import { commandEntries } from '../command-table/command-entries.js';
import { findOnPath } from '../find-on-path.js';
import type { Host } from '../host.js';

/**
 * Runs the plugin of the arguments, if there is one: `kubectl foo bar` runs `kubectl-foo-bar`, else `kubectl-foo` with
 * the argument `bar`. Dashes within an argument are underscores in the name of a plugin.
 */
export async function runPlugin(names: readonly string[], words: readonly string[], host: Host): Promise<boolean> {
  if (!host.processes || !host.files) return false;
  const isBuiltIn = commandEntries.some(({ name }) => name === names[0]);
  const before = words.findIndex((word) => !word.startsWith('-'));
  const first = words.indexOf(names[0] ?? '');
  for (let count = names.length; count >= (isBuiltIn ? 2 : 1); count--) {
    const name = names.slice(0, count).map((word) => word.replaceAll('-', '_'));
    const path = await findOnPath(`kubectl-${name.join('-')}`, host);
    if (!path) continue;
    const flag = words.slice(0, first).find((word) => word.startsWith('-'));
    if (flag !== undefined || before > 0)
      throw new CommandError(`Error: flags cannot be placed before plugin name: ${flag?.split('=', 1)[0] ?? ''}`, {
        plain: true,
      });
    const { exitCode } = await host.processes.run([path, ...words.slice(first + count)], {});
    throw new ExitCode(exitCode);
  }
  return false;
}
