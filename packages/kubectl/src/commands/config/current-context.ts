import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';

export async function run(context: Context): Promise<void> {
  const { current } = await ConfigFiles.load(context);
  if (current === '') throw new CommandError('current-context is not set');
  print(context, `${current}\n`);
}
