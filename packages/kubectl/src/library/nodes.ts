import { setUnschedulable } from '../nodes/cordon-node.js';
import { type DrainSettings, type DrainStep, drainNode } from '../nodes/drain-node.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export type { DrainStep };

/** Keeps new pods off a node; false if it was so before. */
export async function cordon(session: Session, node: string): Promise<boolean> {
  const info = await infoOf(session, `node/${node}`);
  return setUnschedulable(await session.helper(), info, { unschedulable: true, dryRun: 'none' });
}

/** Lets new pods on a node; false if it was so before. */
export async function uncordon(session: Session, node: string): Promise<boolean> {
  const info = await infoOf(session, `node/${node}`);
  return setUnschedulable(await session.helper(), info, { unschedulable: false, dryRun: 'none' });
}

export interface DrainOptions extends Partial<DrainSettings> {
  /** Called with each step as it happens. */
  readonly onStep?: (step: DrainStep) => void;
}

/**
 * Cordons a node and evicts its pods within their disruption budgets. Pods that cannot be evicted are an error, before
 * any pod is evicted. Returns the evicted pods.
 */
export async function drain(
  session: Session,
  node: string,
  options: DrainOptions = {},
): Promise<{ readonly namespace: string; readonly name: string }[]> {
  await cordon(session, node);
  const gone: { namespace: string; name: string }[] = [];
  await drainNode(session.context, node, {
    force: false,
    ignoreDaemonSets: false,
    deleteEmptyDirData: false,
    skipDeletedAfterSeconds: 0,
    podSelector: '',
    gracePeriodSeconds: -1,
    timeoutMs: 0,
    disableEviction: false,
    dryRun: 'none',
    ...options,
    report: (step) => {
      if (step.kind === 'gone') gone.push({ namespace: step.namespace, name: step.name });
      options.onStep?.(step);
    },
  });
  return gone;
}
