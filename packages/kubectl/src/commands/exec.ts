import { isTerminalPhase } from '@coracle/api';
import { CommandError } from '../command/command-error.js';
import { type Context, usageError } from '../command/context.js';
import { chooseContainer, findPod } from '../remote/find-pod.js';
import { runRemote } from '../remote/run-remote.js';
import { textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { args, dash, flags } = context;
  const hasFile = flags.strings('filename').length > 0;
  if (args.length === 0 && !hasFile) throw new CommandError('pod, type/name or --filename must be specified');
  if (dash < 0 && args.length > (hasFile ? 0 : 1))
    throw usageError(context, 'exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead');
  const words = dash < 0 ? [] : args.slice(dash);
  if (words.length === 0) throw new CommandError('you must specify at least one command for the container');
  const { pod } = await findPod(context, { word: dash === 0 ? '' : (args[0] ?? ''), action: 'attach to' });
  const phase = textAt(pod, 'status', 'phase');
  if (isTerminalPhase(phase))
    throw new CommandError(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  const container = chooseContainer(context, pod, flags.bool('quiet'));
  await runRemote(context, { pod, container, command: words, stdin: flags.bool('stdin'), tty: flags.bool('tty') });
}
