import { CommandError } from '../command/command-error.js';
import { patchWorkload, type WorkloadPatch } from '../commands/rollout/patch-workloads.js';
import { pausing } from '../commands/rollout/pause.js';
import { restarting } from '../commands/rollout/restart.js';
import { resuming } from '../commands/rollout/resume.js';
import { type Revision, revisionsOf } from '../commands/rollout/revisions.js';
import { type RolloutStatus, rolloutStatus } from '../commands/rollout/rollout-status.js';
import { undo } from '../commands/rollout/undo.js';
import { sleep } from '../resources/sleep.js';
import type { Fields } from '../values.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export type { Revision, RolloutStatus };
export { rolloutStatus };

export interface RolloutOptions {
  readonly namespace?: string;
}

/** How far a rollout is, each time that this changes, until it is done. A rollout that failed is thrown. */
export async function* followRollout(
  session: Session,
  resource: string,
  options: RolloutOptions & { readonly timeoutMs?: number } = {},
): AsyncGenerator<RolloutStatus> {
  const { host } = session.context;
  const info = await infoOf(session, resource, options.namespace);
  const helper = await session.helper();
  const deadline = options.timeoutMs ? host.clock.now() + options.timeoutMs : Number.POSITIVE_INFINITY;
  let shown = '';
  for (let object = info.object ?? {}; ; object = await helper.get(info)) {
    const status = rolloutStatus(object);
    if (status.message !== shown) yield status;
    shown = status.message;
    if (status.done) return;
    if (host.clock.now() + pauseMs > deadline) throw new CommandError('timed out waiting for the condition');
    await sleep(host, pauseMs);
  }
}

const pauseMs = 250;

/** Replaces all pods of a workload, as in its strategy. */
export function restartRollout(session: Session, resource: string, options: RolloutOptions = {}): Promise<Fields> {
  return change(session, resource, { ...options, change: restarting(session.context.host.clock.now()) });
}

export function pauseRollout(session: Session, resource: string, options: RolloutOptions = {}): Promise<Fields> {
  return change(session, resource, { ...options, change: pausing });
}

export function resumeRollout(session: Session, resource: string, options: RolloutOptions = {}): Promise<Fields> {
  return change(session, resource, { ...options, change: resuming });
}

/** Rolls back to a revision, by default the previous one, and returns what was done. */
export async function undoRollout(
  session: Session,
  resource: string,
  options: RolloutOptions & { readonly toRevision?: number } = {},
): Promise<string> {
  const info = await infoOf(session, resource, options.namespace);
  return undo(session.context, info, { dryRun: 'none', revision: options.toRevision ?? 0 });
}

/** The revisions of a workload, the oldest first. */
export async function rolloutHistory(
  session: Session,
  resource: string,
  options: RolloutOptions = {},
): Promise<Revision[]> {
  return revisionsOf(session.context, await infoOf(session, resource, options.namespace));
}

async function change(
  session: Session,
  resource: string,
  { namespace, change: how }: RolloutOptions & { readonly change: WorkloadPatch },
): Promise<Fields> {
  const info = await infoOf(session, resource, namespace);
  return patchWorkload(await session.helper(), info, { change: how, fieldManager: 'kubectl-rollout' });
}
