import { CommandError, throwCollected, withErrorPrefix } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { printerOf } from '../../printers/print-flags.js';
import { fieldManagerOf } from '../../resources/common-flags.js';
import { type Info, quotedName } from '../../resources/info.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, textAt } from '../../values.js';
import { rolloutTargets } from './targets.js';

export interface WorkloadPatch {
  readonly operation: string;
  readonly kinds: readonly string[];
  /** The message for kinds that do not support it: `pausing is not supported`. */
  readonly unsupported: string;
  /** The patch, or why it cannot be done. */
  patch(object: Fields): Fields | string;
}

/** Changes workloads by a patch that is made for each of them. */
export async function patchWorkloads(context: Context, change: WorkloadPatch): Promise<void> {
  const { infos, errors } = await rolloutTargets(context);
  const printer = await printerOf(context, { operation: change.operation });
  const helper = new RequestHelper(await context.factory.client());
  const failures = [...errors];
  for (const info of infos) {
    try {
      const changed = await patchWorkload(helper, info, { change, fieldManager: fieldManagerOf(context) });
      print(context, printer.print(changed));
    } catch (error) {
      failures.push(withErrorPrefix(error));
    }
  }
  throwCollected(failures);
}

/** Changes one workload, and returns the result. */
export async function patchWorkload(
  helper: RequestHelper,
  info: Info,
  { change, fieldManager }: { readonly change: WorkloadPatch; readonly fieldManager: string },
): Promise<Fields> {
  const object = info.object ?? {};
  const patch = change.kinds.includes(textAt(object, 'kind')) ? change.patch(object) : change.unsupported;
  if (typeof patch === 'string') throw new CommandError(`${quotedName(info)} ${patch}`);
  return helper.patch(info, { type: 'strategic', body: patch }, { fieldManager });
}
