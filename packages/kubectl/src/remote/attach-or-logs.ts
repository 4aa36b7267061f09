import { podLogs } from '@coracle/client';
import { ExitCode } from '../command/command-error.js';
import { type Context, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { type Fields, textAt } from '../values.js';
import { runRemote } from './run-remote.js';

interface Attached {
  readonly pod: Fields;
  readonly container: string;
  /** The container has ended. */
  readonly hasEnded: boolean;
}

/**
 * Attaches to a container that was just started. It may end before that, or meanwhile: then its log is printed instead.
 */
export async function attachOrLogs(context: Context, { pod, container, hasEnded }: Attached): Promise<void> {
  const { flags } = context;
  if (hasEnded) return printLogs(context, pod, container);
  sayAttached(context);
  try {
    await runRemote(context, { pod, container, stdin: flags.bool('stdin'), tty: flags.bool('tty') });
  } catch (error) {
    if (error instanceof ExitCode) throw error;
    const name = textAt(pod, 'metadata', 'name');
    warn(context, `warning: couldn't attach to pod/${name}, falling back to streaming logs: ${messageOf(error)}`);
    await printLogs(context, pod, container);
  }
}

/** The hints before attaching. */
export function sayAttached(context: Context): void {
  if (context.flags.bool('quiet')) return;
  warn(
    context,
    'All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.',
  );
  warn(context, "If you don't see a command prompt, try pressing enter.");
}

async function printLogs({ factory, host }: Context, pod: Fields, container: string): Promise<void> {
  const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')];
  for await (const chunk of podLogs(await factory.client(), { namespace, pod: name, container }))
    host.stdout.write(chunk);
}
