import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';

export async function run(context: Context): Promise<void> {
  const [from, to] = context.args;
  if (context.args.length !== 2 || from === undefined || to === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  const entry = files.entry('contexts', from);
  if (!entry)
    throw new CommandError(`cannot rename the context ${JSON.stringify(from)}, it's not in ${files.defaultPath}`);
  if (files.entry('contexts', to))
    throw new CommandError(
      `cannot rename the context ${JSON.stringify(from)}, the context ${JSON.stringify(to)} already exists in ${files.defaultPath}`,
    );
  const wasCurrent = files.current === from;
  files.remove('contexts', from);
  files.set('contexts', to, entry);
  if (wasCurrent) files.setCurrent(to);
  await files.save();
  print(context, `Context ${JSON.stringify(from)} renamed to ${JSON.stringify(to)}.\n`);
}
