import { isNotFound, StatusError } from '@coracle/apimachinery';
import { CommandError, ErrorList } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { cordonNode } from '../nodes/cordon-node.js';
import { nodeTargets } from '../nodes/node-targets.js';
import { planDrain } from '../nodes/plan-drain.js';
import { operationText } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import { dryRunOf } from '../resources/common-flags.js';
import type { Info } from '../resources/info.js';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, recordsAt, textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const dryRun = dryRunOf(context);
  const infos = await nodeTargets(context);
  for (const info of infos) await cordonNode(context, info, { unschedulable: true, dryRun });
  const pending: string[] = [];
  const failures: CommandError[] = [];
  for (const info of infos) {
    try {
      await drainNode(context, info, dryRun);
      print(context, `node/${info.name} ${operationText('drained', dryRun)}\n`);
    } catch (error) {
      const problems = error instanceof ErrorList ? error.errors.map(messageOf) : [messageOf(error)];
      const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
      warn(
        context,
        `error: unable to drain node ${JSON.stringify(info.name)} due to error: ${text}, continuing command...`,
      );
      pending.push(info.name);
      failures.push(...problems.map((problem) => new CommandError(problem, { plain: true })));
    }
  }
  if (pending.length === 0) return;
  warn(context, 'There are pending nodes to be drained:');
  for (const name of pending) warn(context, ` ${name}`);
  throw new ErrorList(failures);
}

async function drainNode(context: Context, info: Info, dryRun: DryRun): Promise<void> {
  const { flags, factory, host } = context;
  const helper = new RequestHelper(await factory.client());
  const path = withQuery('/api/v1/pods', {
    labelSelector: flags.string('pod-selector'),
    fieldSelector: `spec.nodeName=${info.name}`,
  });
  const pods = recordsAt(await helper.send('GET', path), 'items');
  const plan = planDrain(pods, {
    force: flags.bool('force'),
    ignoreDaemonSets: flags.bool('ignore-daemonsets'),
    deleteEmptyDirData: flags.bool('delete-emptydir-data'),
    skipDeletedAfterSeconds: flags.number('skip-wait-for-delete-timeout'),
    now: host.clock.now(),
  });
  if (plan.refusals.size > 0)
    throw new ErrorList(
      [...plan.refusals].map(([reason, names]) => new CommandError(`${reason}: ${names.join(', ')}`)),
    );
  for (const [reason, names] of plan.warnings) warn(context, `Warning: ${reason}: ${names.join(', ')}`);
  const deadline = flags.number('timeout') > 0 ? host.clock.now() + flags.number('timeout') : Number.POSITIVE_INFINITY;
  await Promise.all(plan.remove.map((pod) => removePod(context, pod, { dryRun, deadline })));
}

interface Removal {
  readonly dryRun: DryRun;
  readonly deadline: number;
}

/** Evicts a pod, again and again while a budget is in the way, and waits until it is gone. */
async function removePod(context: Context, pod: Fields, { dryRun, deadline }: Removal): Promise<void> {
  const { flags, factory, host } = context;
  const [namespace, name, uid] = [
    textAt(pod, 'metadata', 'namespace'),
    textAt(pod, 'metadata', 'name'),
    textAt(pod, 'metadata', 'uid'),
  ];
  const evicts = !flags.bool('disable-eviction');
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  print(context, `${operationText(`${evicts ? 'evicting' : 'deleting'} pod ${namespace}/${name}`, dryRun)}\n`);
  if (dryRun === 'client') return;
  const helper = new RequestHelper(await factory.client());
  const deleteOptions = {
    ...(flags.number('grace-period') >= 0 && { gracePeriodSeconds: flags.number('grace-period') }),
    ...(dryRun === 'server' && { dryRun: ['All'] }),
  };
  const body = evicts
    ? { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions }
    : { kind: 'DeleteOptions', apiVersion: 'v1', ...deleteOptions };
  for (;;) {
    try {
      await helper.send(evicts ? 'POST' : 'DELETE', evicts ? `${path}/eviction` : path, { body });
      break;
    } catch (error) {
      if (isNotFound(error)) return;
      const isBlocked = error instanceof StatusError && error.status.reason === 'TooManyRequests';
      if (!isBlocked)
        throw new CommandError(
          `error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}: ${messageOf(error)}`,
        );
      warn(
        context,
        `error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)} (will retry after 5s): ${messageOf(error)}`,
      );
      if (host.clock.now() > deadline)
        throw new CommandError(
          `error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}: global timeout reached: ${flags.string('timeout')}`,
        );
      await sleep(host, 5000);
    }
  }
  if (dryRun === 'server') return;
  await untilGone(context, { path, uid, deadline });
  print(context, `pod/${name} ${evicts ? 'evicted' : 'deleted'}\n`);
}

async function untilGone(
  { factory, host }: Context,
  { path, uid, deadline }: { readonly path: string; readonly uid: string; readonly deadline: number },
): Promise<void> {
  const helper = new RequestHelper(await factory.client());
  for (let pause = 100; ; pause = Math.min(pause * 2, 1000)) {
    try {
      if (textAt(await helper.send('GET', path), 'metadata', 'uid') !== uid) return;
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    if (host.clock.now() > deadline)
      throw new CommandError(
        `error when waiting for pod ${path.split('/').at(-1)} in namespace ${path.split('/')[4]} to terminate: global timeout reached`,
      );
    await sleep(host, pause);
  }
}
