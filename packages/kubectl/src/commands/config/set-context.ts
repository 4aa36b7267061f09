import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { type Fields, textAt } from '../../values.js';
import { ConfigFiles } from './config-files.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (args.length > 1) throw new CommandError(`Unexpected args: [${args.join(' ')}]`);
  const files = await ConfigFiles.load(context);
  const name = flags.bool('current') ? files.current : (args[0] ?? '');
  if (flags.bool('current') && args.length > 0)
    throw new CommandError('you cannot specify both a context name and --current');
  if (name === '')
    throw new CommandError(
      flags.bool('current') ? 'no current context is set' : 'you must specify a non-empty context name or --current',
    );
  const before = files.entry('contexts', name);
  const entry: Fields = { cluster: textAt(before, 'cluster'), user: textAt(before, 'user'), ...before };
  for (const field of ['cluster', 'user', 'namespace']) if (flags.changed(field)) entry[field] = flags.string(field);
  files.set('contexts', name, entry);
  await files.save();
  print(context, `Context ${JSON.stringify(name)} ${before ? 'modified' : 'created'}.\n`);
}
