import type { Context } from '../command/context.js';
import { cordonNode } from '../nodes/cordon-node.js';
import { nodeTargets } from '../nodes/node-targets.js';
import { dryRunOf } from '../resources/common-flags.js';

export async function run(context: Context): Promise<void> {
  const dryRun = dryRunOf(context);
  for (const info of await nodeTargets(context)) await cordonNode(context, info, { unschedulable: true, dryRun });
}
