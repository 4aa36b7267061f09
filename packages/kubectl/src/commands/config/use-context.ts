import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';

export async function run(context: Context): Promise<void> {
  const [name] = context.args;
  if (context.args.length !== 1 || name === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  if (!files.entry('contexts', name))
    throw new CommandError(`no context exists with the name: ${JSON.stringify(name)}`);
  files.setCurrent(name);
  await files.save();
  print(context, `Switched to context ${JSON.stringify(name)}.\n`);
}
