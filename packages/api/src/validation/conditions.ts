import {
  byteLength,
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  isQualifiedName,
  notSupportedField,
  regexError,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import type { Condition } from '../generated/types/meta-v1.js';
import { checkItems, checkValue } from './field-checks.js';

const statuses = ['False', 'True', 'Unknown'];
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;
const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonRegex = new RegExp(`^(?:${reasonPattern})$`);
const badReason = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
);

/** Conditions of the common form, which kinds of their own came before. */
export function checkConditions(path: FieldPath, conditions: readonly Condition[] = []): FieldError[] {
  const types = conditions.map(({ type }) => type);
  return checkItems(path, conditions, (at, condition, index) => [
    ...(types.indexOf(condition.type) < index ? [duplicateField(at.child('type'), condition.type)] : []),
    ...checkCondition(at, condition),
  ]);
}

function checkCondition(at: FieldPath, condition: Condition): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = checkValue(at.child('type'), type ?? '', isQualifiedName);
  if (!statuses.includes(status)) errors.push(notSupportedField(at.child('status'), status ?? '', statuses));
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(invalidField(at.child('observedGeneration'), observedGeneration, detail));
  }
  if (!lastTransitionTime) errors.push(requiredField(at.child('lastTransitionTime'), 'must be set'));
  errors.push(...checkReason(at.child('reason'), reason));
  if (byteLength(message) > maxMessageBytes) errors.push(tooLongField(at.child('message'), maxMessageBytes));
  return errors;
}

function checkReason(at: FieldPath, reason: string): FieldError[] {
  if (reason === '') return [requiredField(at, 'must be set')];
  return [
    ...(reasonRegex.test(reason) ? [] : [invalidField(at, reason, badReason)]),
    ...(byteLength(reason) > maxReasonBytes ? [tooLongField(at, maxReasonBytes)] : []),
  ];
}
