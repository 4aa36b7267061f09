import { CommandError } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { messageOf } from '../../command/format-error.js';
import { commandEntries } from '../../command-table/command-entries.js';
import { baseName } from '../../paths.js';
import { filesOf } from '../../resources/read-manifests.js';

/** Lists the programs on the PATH that are plugins, with what is wrong with them. */
export async function run(context: Context): Promise<void> {
  const { host, flags } = context;
  const files = filesOf(host);
  const plugins: string[] = [];
  const folders = [...new Set((host.env['PATH'] ?? '').split(':').filter(Boolean))];
  for (const folder of folders) {
    try {
      for (const name of await files.list(folder)) {
        if (!/^kubectl-./.test(name)) continue;
        const path = `${folder}/${name}`;
        if ((await files.stat(path)).kind !== 'directory') plugins.push(path);
      }
    } catch (error) {
      warn(
        context,
        `Unable to read directory ${JSON.stringify(folder)} from your PATH: ${messageOf(error)}. Skipping...`,
      );
    }
  }
  if (plugins.length === 0) throw new CommandError('unable to find any kubectl plugins in your PATH');
  print(context, 'The following compatible plugins are available:\n\n');
  let warnings = 0;
  const seen = new Map<string, string>();
  for (const path of plugins) {
    print(context, `${flags.bool('name-only') ? baseName(path) : path}\n`);
    for (const problem of await problemsOf(context, path, seen)) {
      warn(context, `  - ${problem}`);
      warnings++;
    }
    if (!seen.has(baseName(path))) seen.set(baseName(path), path);
  }
  if (warnings === 1) throw new CommandError('one plugin warning was found');
  if (warnings > 1) throw new CommandError(`${warnings} plugin warnings were found`);
}

async function problemsOf({ host }: Context, path: string, seen: ReadonlyMap<string, string>): Promise<string[]> {
  const problems: string[] = [];
  const name = baseName(path);
  const [command = ''] = name.slice('kubectl-'.length).split('-');
  if (commandEntries.some((entry) => entry.name === command))
    problems.push(`warning: ${name} overwrites existing command: "kubectl ${command}"`);
  if (!(await host.processes?.isExecutable(path)))
    problems.push(`warning: ${path} identified as a kubectl plugin, but it is not executable`);
  const other = seen.get(name);
  if (other) problems.push(`warning: ${path} is overshadowed by a similarly named plugin: ${other}`);
  return problems;
}
