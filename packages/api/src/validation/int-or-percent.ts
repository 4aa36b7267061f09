import { type FieldError, type FieldPath, invalidField, isPercent } from '@coracle/apimachinery';
import type { IntOrString } from '../generated/types/meta-v1.js';
import { checkNonNegative, checkValue } from './field-checks.js';

/** A count that is not negative, or a share such as `25%`. */
export function checkIntOrPercent(path: FieldPath, value: IntOrString): FieldError[] {
  return typeof value === 'number' ? checkNonNegative(path, value) : checkValue(path, value, isPercent);
}

export function checkAtMost100Percent(path: FieldPath, value: IntOrString): FieldError[] {
  const percent = percentOf(value);
  if (percent === undefined || percent <= 100) return [];
  return [invalidField(path, value, 'must not be greater than 100%')];
}

/** The number in front of the percent sign or the count itself. Text that is neither, such as `1.5`, counts as zero. */
export function intOrPercentNumber(value: IntOrString): number {
  return percentOf(value) ?? (/^[+-]?\d+$/.test(String(value)) ? Number(value) : 0);
}

function percentOf(value: IntOrString): number | undefined {
  return typeof value === 'string' && isPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}
