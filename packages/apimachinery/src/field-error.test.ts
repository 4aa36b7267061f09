import { expect, test } from 'vitest';
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  formatFieldError,
  invalidField,
  notFoundField,
  notSupportedField,
  requiredField,
  tooLongField,
  tooManyField,
  typeInvalidField,
} from './field-error.js';

const cases: [FieldError, string, string][] = [
  [requiredField('a'), 'FieldValueRequired', 'a: Required value'],
  [requiredField('a', 'why'), 'FieldValueRequired', 'a: Required value: why'],
  [invalidField('a', 'x', 'why'), 'FieldValueInvalid', 'a: Invalid value: "x": why'],
  [
    invalidField('a', 'x\u0001\u0007\u007f\u00a0\u200b\n<é', 'why'),
    'FieldValueInvalid',
    'a: Invalid value: "x\\x01\\a\\x7f\\u00a0\\u200b\\n<é": why',
  ],
  [invalidField('a', { b: '<&>' }, 'why'), 'FieldValueInvalid', 'a: Invalid value: {"b":"\\u003c\\u0026\\u003e"}: why'],
  [invalidField('a', null, 'why'), 'FieldValueInvalid', 'a: Invalid value: null: why'],
  [typeInvalidField('a', 1, 'why'), 'FieldValueTypeInvalid', 'a: Invalid value: 1: why'],
  [duplicateField('a', 'x'), 'FieldValueDuplicate', 'a: Duplicate value: "x"'],
  [forbiddenField('a', 'why'), 'FieldValueForbidden', 'a: Forbidden: why'],
  [notFoundField('a', 'x'), 'FieldValueNotFound', 'a: Not found: "x"'],
  [tooLongField('a', 5), 'FieldValueTooLong', 'a: Too long: may not be more than 5 bytes'],
  [tooManyField('a', 3, 1), 'FieldValueTooMany', 'a: Too many: 3: must have at most 1 item'],
  [tooManyField('a', 3, 2), 'FieldValueTooMany', 'a: Too many: 3: must have at most 2 items'],
];

test.each(cases)('%o', (error, type, text) => {
  expect([error.type, formatFieldError(error)]).toEqual([type, text]);
});

test('supported values are listed', () => {
  expect(formatFieldError(notSupportedField('a', 'x', ['b', 'c']))).toBe(
    'a: Unsupported value: "x": supported values: "b", "c"',
  );
});
