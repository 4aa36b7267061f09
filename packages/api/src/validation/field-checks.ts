import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
  tooManyField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/** Says in words what is wrong with a value; says nothing of a right one. */
export type ValueCheck = (value: string) => readonly string[];

/** One finding for each thing that `check` has to say of the value. */
export function checkValue(path: FieldPath, value: string, check: ValueCheck): FieldError[] {
  return check(value).map((problem) => invalidField(path, value, problem));
}

/** Like `checkValue`, but an empty value is reported as missing. */
export function checkRequiredValue(path: FieldPath, value: string | undefined, check: ValueCheck): FieldError[] {
  return value ? checkValue(path, value, check) : [requiredField(path)];
}

export function checkSupported(path: FieldPath, value: string, supported: readonly string[]): FieldError[] {
  return supported.includes(value) ? [] : [notSupportedField(path, value, supported)];
}

/** Like `checkSupported`, but an empty value is reported as missing. */
export function checkRequiredSupported(
  path: FieldPath,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  return value ? checkSupported(path, value, supported) : [requiredField(path)];
}

export function checkNonNegative(path: FieldPath, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalidField(path, value, 'must be greater than or equal to 0')] : [];
}

export function checkPositive(path: FieldPath, value: number | undefined): FieldError[] {
  return value !== undefined && value <= 0 ? [invalidField(path, value, 'must be greater than 0')] : [];
}

export function checkPortNumber(path: FieldPath, value: number): FieldError[] {
  return isPortNumber(value) ? [] : [invalidField(path, value, portRange)];
}

export const portRange = 'must be between 1 and 65535, inclusive';

export function isPortNumber(value: number): boolean {
  return value >= 1 && value <= 65535;
}

export const immutable = 'field is immutable';

/** A field that keeps its first value. `shown` is what the message prints where that is not the value itself. */
export function checkImmutable(path: FieldPath, value: unknown, previous: unknown, shown = value): FieldError[] {
  return deepEqual(value, previous) ? [] : [invalidField(path, shown, immutable)];
}

export function checkMaxItems(path: FieldPath, items: readonly unknown[], maximum: number): FieldError[] {
  return items.length > maximum ? [tooManyField(path, items.length, maximum)] : [];
}

export function checkMaxBytes(path: FieldPath, value: string, maximum: number): FieldError[] {
  return byteLength(value) > maximum ? [tooLongField(path, maximum)] : [];
}

/** How many bytes base64 text stands for. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
