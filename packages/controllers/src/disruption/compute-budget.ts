import { disruptionConditions, type Pod, type PodDisruptionBudget, type policyv1 } from '@coracle/api';
import { parseTime, scaledValue } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { ownValue } from '@coracle/base';
import { isReady } from '../pod-state.js';

/** Time after which a pod whose eviction was recorded and that still exists counts as staying. */
export const deletionTimeoutMs: Millis = 2 * 60_000;

export interface BudgetView {
  readonly budget: PodDisruptionBudget;
  /** All pods that its selector matches. */
  readonly pods: readonly Pod[];
  /** Sum of the desired replicas of their controllers. Computed only if the budget depends on it. */
  readonly expectedScale: number;
  readonly now: Millis;
}

export interface BudgetResult {
  readonly status: policyv1.PodDisruptionBudgetStatus;
  /** When to sync again because of pods that should be deleted by then. */
  readonly recheckAt: Millis | undefined;
  /** Pods that should have been deleted and were not. */
  readonly notDeleted: readonly string[];
}

/** Whether the desired number of healthy pods depends on the scale of the controllers. */
export function dependsOnScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';
}

/** The status of a budget for its pods. */
export function computeBudget({ budget, pods, expectedScale, now }: BudgetView): BudgetResult {
  const { disruptedPods, recheckAt, notDeleted } = stillDisrupted(budget, pods, now);
  const { expected, desired } = desiredHealthy(budget, pods.length, expectedScale);
  const healthy = pods.filter(
    (pod) => isReady(pod) && !pod.metadata.deletionTimestamp && !Object.hasOwn(disruptedPods, pod.metadata.name ?? ''),
  ).length;
  const { disruptedPods: _before, ...previous } = budget.status ?? {};
  const status: policyv1.PodDisruptionBudgetStatus = {
    ...previous,
    disruptionsAllowed: expected <= 0 ? 0 : Math.max(0, healthy - desired),
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    ...(budget.metadata.generation !== undefined && { observedGeneration: budget.metadata.generation }),
  };
  const conditions = disruptionConditions({ ...budget, status }, now);
  return { status: { ...status, conditions }, recheckAt, notDeleted };
}

function desiredHealthy(
  { spec }: PodDisruptionBudget,
  pods: number,
  expectedScale: number,
): { readonly expected: number; readonly desired: number } {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const unavailable = scaledValue(maxUnavailable, expectedScale, 'up') ?? 0;
    return { expected: expectedScale, desired: Math.max(0, expectedScale - unavailable) };
  }
  if (minAvailable === undefined) return { expected: 0, desired: 0 };
  if (typeof minAvailable === 'number') return { expected: pods, desired: minAvailable };
  return { expected: expectedScale, desired: scaledValue(minAvailable, expectedScale, 'up') ?? 0 };
}

/** Of the pods that the eviction subresource has recorded, those that are about to be deleted. */
function stillDisrupted(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: Millis,
): { disruptedPods: Record<string, string>; recheckAt: Millis | undefined; notDeleted: string[] } {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: string[] = [];
  let recheckAt: Millis | undefined;
  for (const { metadata } of pods) {
    const { name = '', deletionTimestamp } = metadata;
    const noted = ownValue(status?.disruptedPods ?? {}, name);
    if (noted === undefined || deletionTimestamp) continue;
    const due = (parseTime(noted) ?? now) + deletionTimeoutMs;
    if (due <= now) notDeleted.push(name);
    else {
      disruptedPods[name] = noted;
      recheckAt = Math.min(recheckAt ?? due, due);
    }
  }
  return { disruptedPods, recheckAt, notDeleted };
}
