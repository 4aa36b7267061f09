import { isTerminalPhase } from '@coracle/api';
import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { sayAttached } from '../remote/attach-or-logs.js';
import { chooseContainer, findPod } from '../remote/find-pod.js';
import { runRemote } from '../remote/run-remote.js';
import { resolveType } from '../resources/resource-arguments.js';
import { textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  if (args.length === 0) throw new CommandError('at least 1 argument is required for attach');
  const [first = '', second] = args;
  if (args.length > 2)
    throw new CommandError(
      `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(' ')}]`,
    );
  if (second !== undefined) await resolveType(await factory.discovery(), first);
  const { pod } = await findPod(context, {
    word: second === undefined ? first : `${first}/${second}`,
    action: 'attach to',
  });
  const phase = textAt(pod, 'status', 'phase');
  if (isTerminalPhase(phase))
    throw new CommandError(`cannot attach a container in a completed pod; current phase is ${phase}`);
  let container: string;
  try {
    container = chooseContainer(context, pod, flags.bool('quiet'));
  } catch (error) {
    throw new CommandError(`cannot attach to the container: ${messageOf(error)}`);
  }
  sayAttached(context);
  await runRemote(context, { pod, container, stdin: flags.bool('stdin'), tty: flags.bool('tty') });
}
