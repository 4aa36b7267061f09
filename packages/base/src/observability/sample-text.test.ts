import { expect, test } from 'vitest';
import { formatSampleValue } from './sample-text.js';

test.each([
  [0, '0'],
  [-0, '0'],
  [5, '5'],
  [0.005, '0.005'],
  [999999, '999999'],
  [1e6, '1e+06'],
  [-1048576, '-1.048576e+06'],
  [1795121729.820499, '1.795121729820499e+09'],
  [1e21, '1e+21'],
  [1e100, '1e+100'],
  [0.0001, '0.0001'],
  [0.000015000000000000002, '1.5000000000000002e-05'],
  [1e-8, '1e-08'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
])('%d is written as %s', (value, text) => {
  expect(formatSampleValue(value)).toBe(text);
});
