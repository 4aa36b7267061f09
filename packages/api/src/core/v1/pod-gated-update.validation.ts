import { type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../../generated/types/core-v1.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { podTypes } from './pod.internal-form.js';

/** While a pod waits behind a gate, its choice of nodes may be narrowed but not widened. */
export function validateGatedNodeSelector(path: FieldPath, spec: PodSpec, previous: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const isSuperset = Object.entries(previous.nodeSelector ?? {}).every(([key, value]) => selector[key] === value);
  return isSuperset
    ? []
    : [invalidField(path, selector, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

export function validateGatedAffinity(path: FieldPath, spec: PodSpec, previous: PodSpec): FieldError[] {
  const affinity = spec.affinity?.nodeAffinity;
  const old = previous.affinity?.nodeAffinity;
  if (deepEqual(affinity ?? null, old ?? null) || !old?.[required]) return [];
  const terms = affinity?.[required]?.nodeSelectorTerms ?? [];
  const oldTerms = old[required].nodeSelectorTerms ?? [];
  if (oldTerms.length > 0 && terms.length !== oldTerms.length) {
    const termsPath = path.child(required, 'nodeSelectorTerms');
    const shown = termsOf(affinity);
    return [invalidField(termsPath, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return oldTerms.flatMap((oldTerm, index) => {
    const term = terms[index] ?? {};
    if (isNarrower(term, oldTerm)) return [];
    const shown = toInternalForm(term, 'NodeSelectorTerm', podTypes);
    const termPath = path.child(required, 'nodeSelectorTerms').index(index);
    return [invalidField(termPath, shown, 'only additions are allowed (no mutations or deletions)')];
  });
}

function termsOf(affinity: NodeAffinity | undefined): unknown {
  return toInternalForm(affinity?.[required]?.nodeSelectorTerms, '[NodeSelectorTerm]', podTypes);
}

/** All that was requested still is, in the same order. */
function isNarrower(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const hadNothing = !old.matchExpressions?.length && !old.matchFields?.length;
  const hasSomething = !!term.matchExpressions?.length || !!term.matchFields?.length;
  if (hadNothing && hasSomething) return false;
  return startsWith(term.matchExpressions, old.matchExpressions) && startsWith(term.matchFields, old.matchFields);
}

function startsWith(
  list: readonly NodeSelectorRequirement[] = [],
  beginning: readonly NodeSelectorRequirement[] = [],
): boolean {
  return deepEqual(list.slice(0, beginning.length), beginning);
}
