import {
  duplicateField,
  type FieldError,
  type FieldPath,
  isLabelValue,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import type { Taint } from '../../generated/types/core-v1.js';
import { checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function checkTaints(path: FieldPath, taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const errors = checkTaint(path.index(index), taint);
    const identity = `${taint.effect ?? ''}\n${taint.key ?? ''}`;
    if (seen.has(identity)) {
      const shown = goValue('core-v1/Taint', taint);
      errors.push(duplicateField(path.index(index), shown, 'taints must be unique by key and effect pair'));
    }
    seen.add(identity);
    return errors;
  });
}

function checkTaint(path: FieldPath, { key = '', value = '', effect = '' }: Taint): FieldError[] {
  return [
    ...checkValue(path.child('key'), key, isQualifiedName),
    ...checkValue(path.child('value'), value, isLabelValue),
    ...(effect ? checkSupported(path.child('effect'), effect, effects) : [requiredField(path.child('effect'))]),
  ];
}
