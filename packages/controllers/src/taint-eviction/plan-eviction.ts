import { type Taint, type Toleration, tolerates } from '@coracle/api';
import type { Millis } from '@coracle/base';

/** The effect of the taints of its node on a pod. */
export type EvictionPlan =
  | { readonly kind: 'stay' }
  /** It is evicted this long after the taint was first seen. */
  | { readonly kind: 'go-after'; readonly delayMs: Millis };

/** Evaluates `NoExecute` taints only: others do not affect running pods. */
export function planEviction(taints: readonly Taint[], tolerations: readonly Toleration[]): EvictionPlan {
  if (taints.length === 0) return { kind: 'stay' };
  const used: Toleration[] = [];
  for (const taint of taints) {
    // Of several matching tolerations, the first counts.
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (!matching) return { kind: 'go-after', delayMs: 0 };
    used.push(matching);
  }
  const limits = used.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : Number(tolerationSeconds),
  );
  if (limits.length === 0) return { kind: 'stay' };
  return { kind: 'go-after', delayMs: Math.max(0, Math.min(...limits)) * 1000 };
}

export function executingTaints(taints: readonly Taint[] | undefined): Taint[] {
  return (taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}
