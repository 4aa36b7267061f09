import { isTerminalPhase } from '@coracle/api';
import { type Fields, recordsAt, stringMapAt, textAt } from '../values.js';

/** The actions on the pods of a node. */
export interface DrainPlan {
  readonly remove: readonly Fields[];
  /** Reasons, with the pods that they are for. */
  readonly warnings: ReadonlyMap<string, readonly string[]>;
  readonly refusals: ReadonlyMap<string, readonly string[]>;
}

export interface DrainRules {
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  /** Pods that have been terminating for longer are not waited for. */
  readonly skipDeletedAfterSeconds: number;
  readonly now: number;
}

type Verdict = { readonly remove: boolean; readonly warning?: string; readonly refusal?: string };

const fine: Verdict = { remove: true };
const skipped: Verdict = { remove: false };

/** Decides for each pod whether it is evicted, stays, or blocks the drain. */
export function planDrain(pods: readonly Fields[], rules: DrainRules): DrainPlan {
  const remove: Fields[] = [];
  const warnings = new Map<string, string[]>();
  const refusals = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, reason: string, pod: Fields) =>
    map.set(reason, [
      ...(map.get(reason) ?? []),
      `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`,
    ]);
  for (const pod of pods) {
    const verdict = verdictOf(pod, rules);
    if (verdict.refusal) add(refusals, verdict.refusal, pod);
    else if (verdict.warning) add(warnings, verdict.warning, pod);
    if (verdict.remove && !verdict.refusal) remove.push(pod);
  }
  return { remove, warnings, refusals };
}

function verdictOf(pod: Fields, rules: DrainRules): Verdict {
  let warning: string | undefined;
  for (const rule of [skipDeleted, daemonSetPods, mirrorPods, localStorage, unmanaged]) {
    const verdict = rule(pod, rules);
    if (!verdict.remove || verdict.refusal) return verdict;
    warning ??= verdict.warning;
  }
  return warning ? { remove: true, warning } : fine;
}

function isFinished(pod: Fields): boolean {
  return isTerminalPhase(textAt(pod, 'status', 'phase'));
}

function skipDeleted(pod: Fields, { skipDeletedAfterSeconds, now }: DrainRules): Verdict {
  const deleted = Date.parse(textAt(pod, 'metadata', 'deletionTimestamp'));
  if (skipDeletedAfterSeconds > 0 && !Number.isNaN(deleted) && now - deleted > skipDeletedAfterSeconds * 1000)
    return skipped;
  return fine;
}

function controllerOf(pod: Fields): Fields | undefined {
  return recordsAt(pod, 'metadata', 'ownerReferences').find((one) => one['controller'] === true);
}

function daemonSetPods(pod: Fields, { ignoreDaemonSets }: DrainRules): Verdict {
  if (controllerOf(pod)?.['kind'] !== 'DaemonSet' || isFinished(pod)) return fine;
  if (!ignoreDaemonSets)
    return { remove: false, refusal: 'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)' };
  return { remove: false, warning: 'ignoring DaemonSet-managed Pods' };
}

function mirrorPods(pod: Fields): Verdict {
  return 'kubernetes.io/config.mirror' in stringMapAt(pod, 'metadata', 'annotations') ? skipped : fine;
}

function localStorage(pod: Fields, { deleteEmptyDirData }: DrainRules): Verdict {
  const hasLocal = recordsAt(pod, 'spec', 'volumes').some((volume) => volume['emptyDir'] !== undefined);
  if (!hasLocal || isFinished(pod)) return fine;
  if (deleteEmptyDirData) return fine;
  return { remove: false, refusal: 'cannot delete Pods with local storage (use --delete-emptydir-data to override)' };
}

function unmanaged(pod: Fields, { force }: DrainRules): Verdict {
  if (isFinished(pod) || controllerOf(pod)) return fine;
  if (force) return { remove: true, warning: 'deleting Pods that declare no controller' };
  return { remove: false, refusal: 'cannot delete Pods that declare no controller (use --force to override)' };
}
