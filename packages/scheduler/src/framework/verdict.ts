/**
 * The result of a plugin for a pod, or for a pod on one node. Not fitting is a result, not an error: it is not thrown.
 */
export type Verdict =
  | { readonly kind: 'fits' }
  /** Does not fit now, but would without other pods: preemption may help. */
  | { readonly kind: 'unschedulable'; readonly reasons: readonly string[] }
  /** Does not fit, and no eviction would change that. */
  | { readonly kind: 'unschedulable-and-unresolvable'; readonly reasons: readonly string[] };

export const fits: Verdict = Object.freeze({ kind: 'fits' });

export function unschedulable(...reasons: string[]): Verdict {
  return { kind: 'unschedulable', reasons };
}

export function unschedulableAndUnresolvable(...reasons: string[]): Verdict {
  return { kind: 'unschedulable-and-unresolvable', reasons };
}
