import { type FieldError, forbiddenField, invalidField, requiredField, scoped } from './field-error.js';
import type { FieldPath } from './field-path.js';
import type { LabelSelectorObject } from './label-selector.js';
import { isLabelValue, isQualifiedName } from './names.js';

/** Keys are qualified names, values are label values. In the order of the keys, so that messages are the same each time. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  if (!labels) return [];
  const errors: FieldError[] = [];
  for (const key of sortedKeys(labels)) {
    const value = labels[key] ?? '';
    for (const problem of isQualifiedName(key)) errors.push(invalidField(path, key, problem));
    for (const problem of isLabelValue(value)) errors.push(invalidField(path, value, problem));
  }
  return errors;
}

/** Most have their keys in order, or one: to see that is cheaper than to sort. */
export function sortedKeys(map: Readonly<Record<string, string>>): string[] {
  const keys = Object.keys(map);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
}

function validateLabelName(name: string, path: FieldPath): FieldError[] {
  return isQualifiedName(name).map((problem) => invalidField(path, name, problem));
}

/** Validates a `metav1.LabelSelector`. An absent one is valid. */
export function validateLabelSelector(
  selector: LabelSelectorObject | undefined,
  path: FieldPath,
  options: { readonly allowInvalidValues?: boolean } = {},
): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(selector.matchLabels, path.child('matchLabels'));
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    const at = path.child('matchExpressions').index(i);
    const values = requirement.values ?? [];
    errors.push(...validateOperator(requirement.operator ?? '', values, at));
    errors.push(...validateLabelName(requirement.key ?? '', at.child('key')));
    if (options.allowInvalidValues) continue;
    for (const [j, value] of values.entries())
      errors.push(...validateSelectedValue(value, at.child('values').index(j)));
  }
  return errors;
}

/** Older releases took any value here. */
function validateSelectedValue(value: string, path: FieldPath): FieldError[] {
  const errors = isLabelValue(value).map((problem) => invalidField(path, value, problem));
  return scoped(errors, { newRule: 'values of label selectors' });
}

function validateOperator(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [requiredField(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        forbiddenField(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [invalidField(path.child('operator'), operator, 'not a valid selector operator')];
  }
}
