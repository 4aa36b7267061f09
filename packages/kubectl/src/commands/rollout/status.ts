import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import type { Info } from '../../resources/info.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { sleep } from '../../resources/sleep.js';
import { rolloutStatus } from './rollout-status.js';
import { rolloutTargets } from './targets.js';

const pause = 250;

export async function run(context: Context): Promise<void> {
  const { flags } = context;
  if (flags.number('revision') < 0)
    throw new CommandError(`revision must be a positive integer: ${flags.number('revision')}`);
  const { infos, errors } = await rolloutTargets(context);
  throwCollected(errors);
  const failures: unknown[] = [];
  for (const info of infos) {
    try {
      await follow(context, info);
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

/** Prints each change of the status until the rollout is done. */
async function follow(context: Context, info: Info): Promise<void> {
  const { flags, host, factory } = context;
  const helper = new RequestHelper(await factory.client());
  const timeoutMs = flags.number('timeout');
  const deadline = timeoutMs > 0 ? host.clock.now() + timeoutMs : Number.POSITIVE_INFINITY;
  let shown = '';
  for (let object = info.object ?? {}; ; object = await helper.get(info)) {
    const { message, done } = rolloutStatus(object, flags.number('revision'));
    if (message !== shown) print(context, message);
    shown = message;
    if (done || !flags.bool('watch')) return;
    if (host.clock.now() + pause > deadline) {
      if (flags.bool('reason')) {
        const { explainRollout } = await import('./explain-rollout.js');
        await explainRollout(context, object);
      }
      throw new CommandError('timed out waiting for the condition');
    }
    await sleep(host, pause);
  }
}
