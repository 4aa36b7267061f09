import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isLabelValue,
  isQualifiedName,
  notSupportedField,
  scoped,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Toleration } from '../../generated/types/core-v1.js';
import { checkSupported, checkValue } from '../../validation/field-checks.js';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(path: FieldPath, tolerations: readonly Toleration[] = []): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(path.index(index), toleration));
}

function validateToleration(path: FieldPath, toleration: Toleration): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors = key === '' ? [] : checkValue(path.child('key'), key, isQualifiedName);
  if (key === '' && operator !== 'Exists') errors.push(invalidField(path.child('operator'), operator, keyMissing));
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const problem = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidField(path.child('effect'), effect, problem));
  }
  errors.push(...validateOperator(path.child('operator'), toleration));
  return effect === '' ? errors : [...errors, ...checkSupported(path.child('effect'), effect, effects)];
}

const keyMissing = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

/** Field errors on the value name the operator, as upstream does. */
function validateOperator(path: FieldPath, { operator = '', value = '' }: Toleration): FieldError[] {
  if (operator === '' || operator === 'Equal') {
    const problems = isLabelValue(value);
    return problems.length === 0 ? [] : [invalidField(path, value, problems.join(';'))];
  }
  // Numeric comparisons are known but disabled in v1.36, and mentioned only in this error.
  if (operator === 'Lt' || operator === 'Gt') {
    return scoped([notSupportedField(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])], { newRule: 'no comparisons' });
  }
  if (operator !== 'Exists') return checkSupported(path, operator, ['Equal', 'Exists']);
  return value === '' ? [] : [invalidField(path, value, "value must be empty when `operator` is 'Exists'")];
}

/** Tolerations of a running pod may be added, and their seconds changed, but none removed. */
export function validateAddedTolerations(
  path: FieldPath,
  tolerations: readonly Toleration[] = [],
  previous: readonly Toleration[] = [],
): FieldError[] {
  const isSuperset = previous.every((old) =>
    tolerations.some((one) => deepEqual(withoutSeconds(one), withoutSeconds(old))),
  );
  if (!isSuperset)
    return [forbiddenField(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(path, tolerations);
}

function withoutSeconds({ tolerationSeconds: _, ...toleration }: Toleration): Toleration {
  return toleration;
}
