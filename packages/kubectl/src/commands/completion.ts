import { type Context, print, usageError } from '../command/context.js';
import { completionScripts } from '../completion/scripts.js';

export async function run(context: Context): Promise<void> {
  const { args } = context;
  if (args.length === 0) throw usageError(context, 'Shell not specified.');
  if (args.length > 1) throw usageError(context, 'Too many arguments. Expected only the shell type.');
  const script = completionScripts[args[0] ?? ''];
  if (script === undefined) throw usageError(context, `Unsupported shell type ${JSON.stringify(args[0])}.`);
  print(context, script);
}
