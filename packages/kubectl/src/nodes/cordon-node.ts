import { type Context, print } from '../command/context.js';
import { operationText } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import type { Info } from '../resources/info.js';
import { RequestHelper } from '../resources/request-helper.js';
import { at } from '../values.js';

/** Marks a node as unschedulable or schedulable, and returns the message. */
export async function cordonNode(
  context: Context,
  info: Info,
  { unschedulable, dryRun }: { readonly unschedulable: boolean; readonly dryRun: DryRun },
): Promise<void> {
  const word = unschedulable ? 'cordoned' : 'uncordoned';
  const say = (text: string) => print(context, `node/${info.name} ${operationText(text, dryRun)}\n`);
  const helper = new RequestHelper(await context.factory.client());
  const changed = await setUnschedulable(helper, info, { unschedulable, dryRun });
  say(changed ? word : `already ${word}`);
}

/** Marks a node; false if it was marked so before. */
export async function setUnschedulable(
  helper: RequestHelper,
  info: Info,
  { unschedulable, dryRun }: { readonly unschedulable: boolean; readonly dryRun: DryRun },
): Promise<boolean> {
  if ((at(info.object, 'spec', 'unschedulable') === true) === unschedulable) return false;
  const body = { spec: { unschedulable: unschedulable ? true : null } };
  if (dryRun !== 'client')
    await helper.patch(info, { type: 'strategic', body }, dryRun === 'server' ? { dryRun: true } : {});
  return true;
}
