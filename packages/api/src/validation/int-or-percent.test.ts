import { FieldPath, formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import { checkAtMost100Percent, checkIntOrPercent, intOrPercentNumber } from './int-or-percent.js';

const path = FieldPath.of('max');

const cases = [
  { value: 0, number: 0, errors: [] },
  { value: '25%', number: 25, errors: [] },
  { value: '101%', number: 101, errors: ['max: Invalid value: "101%": must not be greater than 100%'] },
  { value: -1, number: -1, errors: ['max: Invalid value: -1: must be greater than or equal to 0'] },
  ...['x', '1.5', '0x10'].map((value) => ({
    value,
    number: 0,
    errors: [
      `max: Invalid value: ${JSON.stringify(value)}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
  })),
];

describe('int or percent', () => {
  it.each(cases)('$value is read as $number', ({ value, number, errors }) => {
    const found = [...checkIntOrPercent(path, value), ...checkAtMost100Percent(path, value)];

    expect({ number: intOrPercentNumber(value), errors: found.map(formatFieldError) }).toEqual({ number, errors });
  });
});
