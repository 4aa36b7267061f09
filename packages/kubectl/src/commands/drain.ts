import { CommandError, ErrorList } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { cordonNode } from '../nodes/cordon-node.js';
import { type DrainSettings, type DrainStep, drainNode, joined } from '../nodes/drain-node.js';
import { nodeTargets } from '../nodes/node-targets.js';

import { operationText } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import { dryRunOf } from '../resources/common-flags.js';

export async function run(context: Context): Promise<void> {
  const dryRun = dryRunOf(context);
  const infos = await nodeTargets(context);
  for (const info of infos) await cordonNode(context, info, { unschedulable: true, dryRun });
  const pending: string[] = [];
  const failures: CommandError[] = [];
  for (const info of infos) {
    try {
      await drainNode(context, info.name, {
        ...settingsOf(context, dryRun),
        report: (step) => say(context, step, dryRun),
      });
      print(context, `node/${info.name} ${operationText('drained', dryRun)}\n`);
    } catch (error) {
      const problems = error instanceof ErrorList ? error.errors.map(messageOf) : [messageOf(error)];
      const node = JSON.stringify(info.name);
      warn(context, `error: unable to drain node ${node} due to error: ${joined(problems)}, continuing command...`);
      pending.push(info.name);
      failures.push(...problems.map((problem) => new CommandError(problem, { plain: true })));
    }
  }
  if (pending.length === 0) return;
  warn(context, 'There are pending nodes to be drained:');
  for (const name of pending) warn(context, ` ${name}`);
  throw new ErrorList(failures);
}

function settingsOf({ flags }: Context, dryRun: DryRun): DrainSettings {
  return {
    force: flags.bool('force'),
    ignoreDaemonSets: flags.bool('ignore-daemonsets'),
    deleteEmptyDirData: flags.bool('delete-emptydir-data'),
    skipDeletedAfterSeconds: flags.number('skip-wait-for-delete-timeout'),
    podSelector: flags.string('pod-selector'),
    gracePeriodSeconds: flags.number('grace-period'),
    timeoutMs: flags.number('timeout'),
    disableEviction: flags.bool('disable-eviction'),
    dryRun,
  };
}

function say(context: Context, step: DrainStep, dryRun: DryRun): void {
  if (step.kind === 'warning') warn(context, `Warning: ${step.reason}: ${step.pods.join(', ')}`);
  if (step.kind === 'begin')
    print(context, `${operationText(`${step.verb} pod ${step.namespace}/${step.name}`, dryRun)}\n`);
  if (step.kind === 'blocked') warn(context, step.message);
  if (step.kind === 'pending') {
    warn(
      context,
      `There are pending pods in node ${JSON.stringify(step.node)} when an error occurred: ${step.failure}`,
    );
    for (const name of step.pods) warn(context, `pod/${name}`);
  }
  if (step.kind === 'gone') print(context, `pod/${step.name} ${step.verb === 'evicting' ? 'evicted' : 'deleted'}\n`);
}
