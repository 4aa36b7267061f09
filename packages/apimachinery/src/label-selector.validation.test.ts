import { describe, expect, test } from 'vitest';
import { formatFieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import { validateLabelSelector } from './label-selector.validation.js';

describe('validateLabelSelector', () => {
  const path = FieldPath.of('spec', 'selector');
  const cases = [
    { name: 'takes none', selector: undefined, expected: [] },
    {
      name: 'requires values',
      selector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
      expected: [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    },
    {
      name: 'refuses values',
      selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      expected: [
        "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ],
    },
    {
      name: 'refuses an unknown operator',
      selector: { matchExpressions: [{ key: 'a', operator: 'x' }] },
      expected: ['spec.selector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator'],
    },
  ];

  test.each(cases)('$name', ({ selector, expected }) => {
    expect(validateLabelSelector(selector, path).map(formatFieldError)).toEqual(expected);
  });

  test('checks keys and values', () => {
    const fields = validateLabelSelector(
      { matchLabels: { '-': 'ok' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['ok', '-'] }] },
      path,
    ).map(({ field }) => field);
    expect(fields).toEqual(['spec.selector.matchLabels', 'spec.selector.matchExpressions[0].values[1]']);
  });
});
