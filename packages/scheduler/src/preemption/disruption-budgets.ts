import type { PodDisruptionBudget } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import type { PodInfo } from '../cache/pod-info.js';

/**
 * Parts pods into those whose eviction would break a disruption budget and the others, in their order.
 * Each pod uses up the budgets that select it, so the first ones may be fine where the later ones are not.
 */
export function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: PodInfo[]; readonly others: PodInfo[] } {
  const left = budgets.map((budget) => ({
    budget,
    selector: LabelSelector.fromObject(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const one of left) {
      if (!concerns(one, pod)) continue;
      one.allowed--;
      if (one.allowed < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

/** A selector that selects everything protects nothing here, and a pod whose eviction is under way is not counted twice. */
function concerns(
  { budget, selector }: { readonly budget: PodDisruptionBudget; readonly selector: LabelSelector },
  { pod, namespace, labels }: PodInfo,
): boolean {
  if (budget.metadata.namespace !== namespace || Object.keys(labels).length === 0) return false;
  if (selector.isEmpty || !selector.matches(labels)) return false;
  return budget.status?.disruptedPods?.[pod.metadata.name ?? ''] === undefined;
}
