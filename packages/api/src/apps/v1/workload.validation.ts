import {
  type FieldError,
  type FieldPath,
  invalidField,
  LabelSelector,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { podTypes } from '../../core/v1/pod.internal-form.js';
import { validateControllerTemplate } from '../../core/v1/replication-controller.validation.js';
import type { ReplicaSetSpec } from '../../generated/types/apps-v1.js';
import type { LabelSelector as LabelSelectorObject } from '../../generated/types/meta-v1.js';
import { checkImmutable, checkNonNegative } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';

/** A selector as messages print it. */
export function printSelector(selector: LabelSelectorObject | undefined): unknown {
  return toInternalForm(selector, '*LabelSelector', podTypes);
}

export interface CheckedSelector {
  readonly errors: FieldError[];
  /** Absent if it cannot be used: its pods are then not looked at either. */
  readonly selector?: LabelSelector;
}

/** The selector of a controller: there, and not so wide that it takes every pod. `kind` is how messages call it. */
export function checkWorkloadSelector(
  path: FieldPath,
  selector: LabelSelectorObject | undefined,
  { kind, unusable }: { readonly kind: string; readonly unusable: string },
): CheckedSelector {
  if (!selector) return { errors: [requiredField(path)], selector: LabelSelector.nothing };
  const problems = validateLabelSelector(selector, path);
  const errors = [...problems, ...checkSelectsSome(path, selector, kind)];
  if (problems.length === 0) return { errors, selector: LabelSelector.fromObject(selector) };
  return { errors: [...errors, invalidField(path, printSelector(selector), unusable)] };
}

/** Selector and template of a deployment or a replica set. Messages call both a deployment, as upstream does. */
export function checkReplicatedPods(
  specPath: FieldPath,
  { selector, template }: Pick<ReplicaSetSpec, 'selector' | 'template'>,
): FieldError[] {
  const checked = checkWorkloadSelector(specPath.child('selector'), selector, {
    kind: 'deployment',
    unusable: 'invalid label selector',
  });
  if (!checked.selector) return checked.errors;
  const owner = { selector: checked.selector, kind: 'ReplicaSet' };
  return [...checked.errors, ...validateControllerTemplate(specPath.child('template'), template ?? {}, owner)];
}

export function checkSelectsSome(path: FieldPath, selector: LabelSelectorObject, kind: string): FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length > 0) return [];
  return [invalidField(path, printSelector(selector), `empty selector is invalid for ${kind}`)];
}

/** Pods that were selected once stay so: a changed selector would leave them without an owner. */
export function checkSameSelector(
  path: FieldPath,
  selector: LabelSelectorObject | undefined,
  previous: LabelSelectorObject | undefined,
): FieldError[] {
  return checkImmutable(path, selector ?? null, previous ?? null, printSelector(selector));
}

export type Counts = Readonly<Record<string, number | undefined>>;

/** Numbers of a status: none is negative, and none of `parts` exceeds `whole`. */
export function checkCounts(
  path: FieldPath,
  counts: Counts,
  bounds: readonly (readonly [part: string, whole: string, problem: string])[],
): FieldError[] {
  return [
    ...Object.entries(counts).flatMap(([field, count]) => checkNonNegative(path.child(field), count)),
    ...bounds.flatMap(([part, whole, problem]) => {
      const count = counts[part] ?? 0;
      return count > (counts[whole] ?? 0) ? [invalidField(path.child(part), count, problem)] : [];
    }),
  ];
}

/** Counts hash collisions, so that a name is not tried twice. */
export function checkCollisionCount(
  path: FieldPath,
  count: number | undefined,
  previous: number | undefined,
): FieldError[] {
  if (previous === undefined || (count !== undefined && count >= previous)) return [];
  return [invalidField(path.child('collisionCount'), count ?? 0, 'cannot be decremented')];
}
