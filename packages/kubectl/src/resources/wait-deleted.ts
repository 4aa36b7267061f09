import { isNotFound } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { textAt } from '../values.js';
import { type Info, resourceName } from './info.js';
import { RequestHelper } from './request-helper.js';
import { sleep } from './sleep.js';

/** Zero means as long as it takes: a week. */
const longest = 168 * 3_600_000;

/** Waits until objects are deleted, or replaced by others of their names. */
export async function waitUntilDeleted(
  context: Pick<Context, 'host' | 'factory'>,
  objects: readonly { readonly info: Info; readonly uid: string }[],
  timeoutMs: number,
): Promise<void> {
  const { host, factory } = context;
  const deadline = host.clock.now() + (timeoutMs > 0 ? timeoutMs : longest);
  const helper = new RequestHelper(await factory.client());
  const failures: unknown[] = [];
  for (const { info, uid } of objects) {
    for (let pause = 50; ; pause = Math.min(pause * 1.5, 1000)) {
      if (await isGone(helper, info, uid)) break;
      if (host.clock.now() + pause > deadline) {
        failures.push(new CommandError(`timed out waiting for the condition on ${resourceName(info)}`));
        break;
      }
      await sleep(host, pause);
    }
  }
  throwCollected(failures);
}

async function isGone(helper: RequestHelper, info: Info, uid: string): Promise<boolean> {
  try {
    const object = await helper.get(info);
    return uid !== '' && textAt(object, 'metadata', 'uid') !== uid;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
