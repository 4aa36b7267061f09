import { isTerminalPhase } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { RequestHelper } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, recordAt, recordsAt, textAt } from '../values.js';
import { attachOrLogs } from './attach-or-logs.js';

/**
 * Waits until a pod that was just created runs, attaches to it, and with `--rm` deletes it afterwards. A pod that is not started
 * again and whose input is closed is waited for: the command ends with the exit code of its container.
 */
export async function attachToCreated(context: Context, created: Fields): Promise<void> {
  const { flags, factory } = context;
  const [namespace, name] = [textAt(created, 'metadata', 'namespace'), textAt(created, 'metadata', 'name')];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const helper = new RequestHelper(await factory.client());
  try {
    const pod = await untilPhase(context, helper, { path, phases: ['Running', 'Succeeded', 'Failed'] });
    const container = textAt(recordsAt(pod, 'spec', 'containers')[0], 'name');
    await attachOrLogs(context, { pod, container, hasEnded: isTerminalPhase(textAt(pod, 'status', 'phase')) });
    const startsAgain = textAt(pod, 'spec', 'restartPolicy') === 'Always';
    if (!startsAgain && !flags.bool('leave-stdin-open'))
      endAs(await untilPhase(context, helper, { path, phases: ['Succeeded', 'Failed'] }));
  } finally {
    if (flags.has('rm') && flags.bool('rm')) {
      await helper
        .send('DELETE', path, { body: { kind: 'DeleteOptions', apiVersion: 'v1' } })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      print(context, `pod "${name}" deleted from ${namespace} namespace\n`);
    }
  }
}

/** Fails as the container of a pod that has ended did. */
function endAs(pod: Fields): void {
  if (textAt(pod, 'status', 'phase') === 'Succeeded') return;
  const about = `pod ${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;
  const [status] = recordsAt(pod, 'status', 'containerStatuses');
  const ended = recordAt(status, 'state', 'terminated');
  const exitCode = Number(ended['exitCode'] ?? 0);
  if (exitCode === 0) throw new CommandError(`${about} failed with unknown exit code`);
  const text = `${about} terminated (${textAt(ended, 'reason')})\n${textAt(ended, 'message')}`;
  throw new CommandError(text, { exitCode, plain: true });
}

interface Awaited {
  readonly path: string;
  readonly phases: readonly string[];
}

async function untilPhase({ flags, host }: Context, helper: RequestHelper, { path, phases }: Awaited): Promise<Fields> {
  const timeout = flags.has('pod-running-timeout') ? flags.number('pod-running-timeout') : 60_000;
  const deadline = host.clock.now() + timeout;
  for (;;) {
    const pod = await helper.send('GET', path);
    if (phases.includes(textAt(pod, 'status', 'phase'))) return { apiVersion: 'v1', kind: 'Pod', ...pod };
    if (host.clock.now() > deadline) throw new CommandError('timed out waiting for the condition');
    await sleep(host, 200);
  }
}
