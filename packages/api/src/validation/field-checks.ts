import {
  type FieldError,
  type FieldPath,
  invalidField,
  notSupportedField,
  requiredField,
  tooManyField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/** Returns error messages for a value; none for a valid one. */
export type ValueCheck = (value: string) => readonly string[];

/** The field errors of several checks, in their order. Most have none, which costs next to nothing here. */
export function concat<T>(...lists: readonly (readonly T[])[]): T[] {
  const all: T[] = [];
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i] as readonly T[];
    for (let j = 0; j < list.length; j++) all.push(list[j] as T);
  }
  return all;
}

/** The field errors of a check on every item of a list, with its path and index. */
export function checkItems<T>(
  path: FieldPath,
  items: readonly T[] | undefined,
  check: (path: FieldPath, item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const all: FieldError[] = [];
  if (items === undefined) return all;
  for (let i = 0; i < items.length; i++) {
    const found = check(path.index(i), items[i] as T, i);
    for (let j = 0; j < found.length; j++) all.push(found[j] as FieldError);
  }
  return all;
}

/** One field error for each result of `check` on the value. */
export function checkValue(path: FieldPath, value: string, check: ValueCheck): FieldError[] {
  const problems = check(value);
  return problems.length === 0 ? [] : problems.map((problem) => invalidField(path, value, problem));
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

/** Like `checkSupported`, but a field that is not there is reported as missing; one that is empty is not. */
export function checkGivenSupported(
  path: FieldPath,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  return value === undefined ? [requiredField(path)] : checkSupported(path, value, supported);
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

/** How upstream names an object as a whole where it should name a field. */
export const wholeObject = '[]';

export const immutable = 'field is immutable';

/** A field that keeps its first value. `shown` is what the message prints where that is not the value itself. */
export function checkImmutable(path: FieldPath, value: unknown, previous: unknown, shown = value): FieldError[] {
  return deepEqual(value, previous) ? [] : [invalidField(path, shown, immutable)];
}

export function checkMaxItems(path: FieldPath, items: readonly unknown[], maximum: number): FieldError[] {
  return items.length > maximum ? [tooManyField(path, items.length, maximum)] : [];
}

/** How many bytes base64 text stands for. In a map, `null` stands for none. */
export function decodedLength(base64: string | null): number {
  if (base64 === null) return 0;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
