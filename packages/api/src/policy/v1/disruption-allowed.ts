import { setCondition } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Condition } from '../../generated/types/meta-v1.js';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.js';

export const disruptionAllowed = 'DisruptionAllowed';
export const syncFailed = 'SyncFailed';

/** The conditions of a budget, with the one that says whether a pod may go now. */
export function disruptionConditions({ metadata, status }: PodDisruptionBudget, now: Millis): Condition[] {
  const allowed = (status?.disruptionsAllowed ?? 0) > 0;
  const next: Omit<Condition, 'lastTransitionTime'> = {
    type: disruptionAllowed,
    status: allowed ? 'True' : 'False',
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  return [...setCondition<Condition>(status?.conditions, next, now)];
}
