import type { PodDisruptionBudget } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import type { PodInfo } from '../cache/pod-info.js';

/**
 * Partitions pods, in order, by whether their eviction would violate a disruption budget. Each pod uses up the budgets
 * that select it, so that a later pod may violate what an earlier one does not.
 */
export function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: PodInfo[]; readonly others: PodInfo[] } {
  const { violating, others } = splitUnitsByBudget(
    pods.map((pod) => ({ pods: [pod] })),
    budgets,
  );
  return { violating: violating.flatMap((unit) => unit.pods), others: others.flatMap((unit) => unit.pods) };
}

/** The same for pods that are evicted together: one pod that a budget protects is enough. */
export function splitUnitsByBudget<U extends { readonly pods: readonly PodInfo[] }>(
  units: readonly U[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: U[]; readonly others: U[] } {
  const left = budgets.map((budget) => ({
    budget,
    selector: LabelSelector.fromObject(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violates = (pod: PodInfo) => {
    let found = false;
    for (const one of left) if (concerns(one, pod) && --one.allowed < 0) found = true;
    return found;
  };
  const violating: U[] = [];
  const others: U[] = [];
  for (const unit of units) (unit.pods.filter(violates).length > 0 ? violating : others).push(unit);
  return { violating, others };
}

function concerns(
  { budget, selector }: { readonly budget: PodDisruptionBudget; readonly selector: LabelSelector },
  { pod, namespace, labels }: PodInfo,
): boolean {
  if (budget.metadata.namespace !== namespace || Object.keys(labels).length === 0) return false;
  if (selector.isEmpty || !selector.matches(labels)) return false;
  return budget.status?.disruptedPods?.[pod.metadata.name ?? ''] === undefined;
}
