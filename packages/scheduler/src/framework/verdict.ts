/**
 * The result of a plugin for a pod, or for a pod on one node. Not fitting is a result, not an error: it is not thrown.
 */
export type Verdict =
  | { readonly kind: 'fits' }
  /** Unschedulable now: preemption may help. */
  | { readonly kind: 'unschedulable'; readonly reasons: readonly string[] }
  /** Unschedulable, and preemption does not help. */
  | { readonly kind: 'unschedulable-and-unresolvable'; readonly reasons: readonly string[] };

export const fits: Verdict = Object.freeze({ kind: 'fits' });

export function unschedulable(...reasons: string[]): Verdict {
  return { kind: 'unschedulable', reasons };
}

export function unschedulableAndUnresolvable(...reasons: string[]): Verdict {
  return { kind: 'unschedulable-and-unresolvable', reasons };
}
