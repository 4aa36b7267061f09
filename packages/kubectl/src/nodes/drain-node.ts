import { formatDuration, isNotFound, StatusError } from '@coracle/apimachinery';
import { CommandError, ErrorList } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import type { DryRun } from '../resources/common-flags.js';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, recordsAt, textAt } from '../values.js';
import { type DrainRules, planDrain } from './plan-drain.js';

export interface DrainSettings extends Omit<DrainRules, 'now'> {
  /** Labels of the pods to remove; empty for all. */
  readonly podSelector: string;
  /** -1 for the grace period of each pod. */
  readonly gracePeriodSeconds: number;
  /** 0 for as long as it takes. */
  readonly timeoutMs: number;
  /** Deletes pods, past their disruption budgets. */
  readonly disableEviction: boolean;
  readonly dryRun: DryRun;
}

/** Steps of draining a node. */
export type DrainStep =
  | { readonly kind: 'warning'; readonly reason: string; readonly pods: readonly string[] }
  | { readonly kind: 'begin'; readonly verb: DrainVerb; readonly namespace: string; readonly name: string }
  /** The remaining pods that could not be removed. */
  | { readonly kind: 'pending'; readonly node: string; readonly failure: string; readonly pods: readonly string[] }
  /** A disruption budget is in the way; it is tried again. */
  | { readonly kind: 'blocked'; readonly message: string }
  | { readonly kind: 'gone'; readonly verb: DrainVerb; readonly namespace: string; readonly name: string };

export type DrainVerb = 'evicting' | 'deleting';

interface Drain extends DrainSettings {
  readonly report: (step: DrainStep) => void;
}

type DrainContext = Pick<Context, 'factory' | 'host'>;

/** Evicts the pods of a node. Pods that cannot be evicted are an error, before anything is done. */
export async function drainNode(context: DrainContext, node: string, drain: Drain): Promise<void> {
  const { factory, host } = context;
  const helper = new RequestHelper(await factory.client());
  const query = { labelSelector: drain.podSelector, fieldSelector: `spec.nodeName=${node}` };
  const planned = async () => {
    const pods = recordsAt(await helper.send('GET', withQuery('/api/v1/pods', query)), 'items');
    return planDrain(pods, { ...drain, now: host.clock.now() });
  };
  const plan = await planned();
  if (plan.refusals.size > 0)
    throw new ErrorList(
      [...plan.refusals].map(([reason, names]) => new CommandError(`${reason}: ${names.join(', ')}`)),
    );
  for (const [reason, names] of plan.warnings) drain.report({ kind: 'warning', reason, pods: names });
  const deadline = drain.timeoutMs > 0 ? host.clock.now() + drain.timeoutMs : Number.POSITIVE_INFINITY;
  const results = await Promise.allSettled(plan.remove.map((pod) => removePod(context, pod, { ...drain, deadline })));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length === 0) return;
  const left = (await planned()).remove.map((pod) => textAt(pod, 'metadata', 'name'));
  if (left.length > 0) drain.report({ kind: 'pending', node, failure: joined(failures.map(messageOf)), pods: left });
  throw failures.length === 1 ? failures[0] : new ErrorList(failures);
}

/** Several messages in one, as aggregated errors are printed. */
export function joined(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

interface Removal extends Drain {
  readonly deadline: number;
}

/** Evicts a pod, with retries while a budget prevents it, and waits until it is deleted. */
async function removePod(context: DrainContext, pod: Fields, removal: Removal): Promise<void> {
  const { dryRun, report, deadline } = removal;
  const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')];
  if (dryRun === 'client') return report({ kind: 'begin', verb: 'evicting', namespace, name });
  const verb = removal.disableEviction ? 'deleting' : 'evicting';
  if (!(await requestRemoval(context, { namespace, name, verb }, removal)) || dryRun === 'server') return;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  await untilGone(context, { path, uid: textAt(pod, 'metadata', 'uid'), deadline });
  report({ kind: 'gone', verb, namespace, name });
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly verb: DrainVerb;
}

/** False if the pod is already deleted. */
async function requestRemoval(context: DrainContext, target: Target, removal: Removal): Promise<boolean> {
  const { namespace, name, verb } = target;
  const { gracePeriodSeconds, dryRun, deadline, timeoutMs, report } = removal;
  const helper = new RequestHelper(await context.factory.client());
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const deleteOptions = {
    ...(gracePeriodSeconds >= 0 && { gracePeriodSeconds }),
    ...(dryRun === 'server' && { dryRun: ['All'] }),
  };
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
  const about = `error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}`;
  for (;;) {
    report({ kind: 'begin', verb, namespace, name });
    if (context.host.clock.now() > deadline)
      throw new CommandError(`${about}: global timeout reached: ${formatDuration(timeoutMs)}`);
    try {
      if (verb === 'evicting') await helper.send('POST', `${path}/eviction`, { body: eviction });
      else await helper.send('DELETE', path, { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...deleteOptions } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      const isBlocked = error instanceof StatusError && error.status.reason === 'TooManyRequests';
      if (!isBlocked) throw new CommandError(`${about}: ${messageOf(error)}`);
      report({ kind: 'blocked', message: `${about} (will retry after 5s): ${messageOf(error)}` });
      await sleep(context.host, 5000);
    }
  }
}

async function untilGone(
  { factory, host }: DrainContext,
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
