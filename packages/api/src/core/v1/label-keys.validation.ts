import { type FieldError, type FieldPath, forbiddenField, invalidField, isQualifiedName } from '@coracle/apimachinery';
import type { LabelSelector } from '../../generated/types/meta-v1.js';
import { checkValue, concat } from '../../validation/field-checks.js';

/** What affinity terms and spread constraints have alike: keys of labels whose values are the pod's own. */
export interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelector;
}

/**
 * `matchLabelKeys` become requirements of the selector when the pod is created, so a key that is there twice was also
 * set by the user.
 */
export function validateLabelKeys(path: FieldPath, keys: LabelKeys): FieldError[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = keys;
  const matchPath = path.child('matchLabelKeys');
  return concat(
    validateKeyNames(matchPath, matchLabelKeys, labelSelector),
    validateKeyNames(path.child('mismatchLabelKeys'), mismatchLabelKeys, labelSelector),
    validateRepeatedKeys(path, matchLabelKeys, labelSelector),
    matchLabelKeys.flatMap((key, index) =>
      mismatchLabelKeys.includes(key) ? [invalidField(matchPath.index(index), key, inBothLists)] : [],
    ),
  );
}

const selectorMissing = 'must not be specified when labelSelector is not set';
const inBothLists = 'exists in both matchLabelKeys and mismatchLabelKeys';

function validateKeyNames(path: FieldPath, keys: readonly string[], selector: LabelSelector | undefined): FieldError[] {
  if (keys.length === 0) return [];
  if (!selector) return [forbiddenField(path, selectorMissing)];
  return keys.flatMap((key, index) => checkValue(path.index(index), key, isQualifiedName));
}

function validateRepeatedKeys(
  path: FieldPath,
  keys: readonly string[],
  selector: LabelSelector | undefined,
): FieldError[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  return (selector?.matchExpressions ?? []).flatMap(({ key }) => {
    const index = keys.lastIndexOf(key);
    const repeated = index >= 0 && seen.has(key);
    seen.add(key);
    return repeated ? [invalidField(path.index(index), key, 'exists in both matchLabelKeys and labelSelector')] : [];
  });
}
