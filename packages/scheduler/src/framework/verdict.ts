/**
 * What a plugin says about a pod, or of a pod on one node. Not fitting is an answer, not an error: nothing is thrown
 * for it.
 */
export type Verdict =
  | { readonly kind: 'fits' }
  /** Does not fit now, but would if other pods went away: preemption may help. */
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
