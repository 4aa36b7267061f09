import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  parseQuantity,
  type Quantity,
  requiredField,
} from '@coracle/apimachinery';
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../../generated/types/resource-v1.js';
import { checkSet } from './device-parts.validation.js';

const maxOptions = 10;

/** Valid requests of a capacity: a list of amounts, or a range with steps. */
export function checkRequestPolicy(path: FieldPath, policy: CapacityRequestPolicy, capacity: string): FieldError[] {
  const { validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenField(path, detail)];
  }
  const kind = validValues.length > 0 ? 'validValues' : validRange ? 'validRange' : undefined;
  if (!kind) return [];
  if (policy.default === undefined) return [requiredField(path.child('default'), `required when ${kind} is defined`)];
  const amounts: Amounts = { usual: parseQuantity(policy.default), capacity: parseQuantity(capacity) };
  if (validRange) return checkRange(path.child(kind), validRange, amounts);
  return checkValues(path.child(kind), validValues, amounts);
}

interface Amounts {
  /** Capacity that a request gets if it states none. */
  readonly usual: Quantity;
  readonly capacity: Quantity;
}

function checkValues(path: FieldPath, texts: readonly string[], { usual, capacity }: Amounts): FieldError[] {
  const values = texts.map(parseQuantity);
  const unsorted = values.flatMap((value, index) => {
    const before = values[index - 1];
    if (!before || before.compare(value) <= 0) return [];
    return [invalidField(path.index(index), value.toString(), 'values must be sorted in ascending order')];
  });
  const listed = checkSet(path, values, {
    limit: maxOptions,
    check: (at, value) =>
      value.compare(capacity) > 0
        ? [invalidField(at, value.toString(), `option is larger than capacity value: ${capacity}`)]
        : [],
    keyOf: (value) => String(value.value()),
  });
  const errors = [...unsorted, ...listed];
  if (values.length <= maxOptions && values.some((value) => value.equals(usual))) return errors;
  return [...errors, invalidField(path, usual.toString(), 'default value is not valid according to the requestPolicy')];
}

function checkRange(path: FieldPath, range: CapacityRequestPolicyRange, amounts: Amounts): FieldError[] {
  if (range.min === undefined) return [requiredField(path.child('min'), 'required when validRange is defined')];
  const { usual, capacity } = amounts;
  const min = parseQuantity(range.min);
  const max = range.max === undefined ? undefined : parseQuantity(range.max);
  const errors: FieldError[] = [];
  const refuse = (field: 'min' | 'max', shown: Quantity, detail: string) =>
    errors.push(invalidField(path.child(field), shown.toString(), detail));
  if (min.compare(capacity) > 0) refuse('min', min, `min is larger than capacity value: ${capacity}`);
  if (usual.compare(min) < 0) refuse('min', usual, `default is less than min: ${min}`);
  if (max) {
    if (min.compare(max) > 0) refuse('max', min, `min is larger than max: ${max}`);
    if (max.compare(capacity) > 0) refuse('max', max, `max is larger than capacity value: ${capacity}`);
    if (usual.compare(max) > 0) refuse('max', usual, `default is more than max: ${max}`);
  }
  if (range.step === undefined) return errors;
  const step = parseQuantity(range.step);
  return [...errors, ...checkSteps(path.child('step'), { step, min, capacity, reached: max ? [usual, max] : [usual] })];
}

interface Steps {
  readonly step: Quantity;
  readonly min: Quantity;
  readonly capacity: Quantity;
  /** Values that must be a whole number of steps above the minimum. */
  readonly reached: readonly Quantity[];
}

function checkSteps(path: FieldPath, { step, min, capacity, reached }: Steps): FieldError[] {
  const first = min.add(step);
  const tooLarge = `one step ${first} is larger than capacity value: ${capacity}`;
  const errors = first.compare(capacity) > 0 ? [invalidField(path, step.toString(), tooLarge)] : [];
  const missed = reached.filter((value) => (value.value() - min.value()) % step.value() !== 0);
  const detail = `value is not a multiple of a given step (${step}) from (${min})`;
  return [...errors, ...missed.map((value) => invalidField(path, value.toString(), detail))];
}
