import { describe, expect, test } from 'vitest';
import { evaluated } from '../evaluate.fixture.js';

describe('the output of format', () => {
  test.each([
    ['"%s".format([2.71])', '2.71'],
    ['"%s".format([[2.71, 0.000000002, 0.0078125]])', '[2.710000, 0.000000, 0.007812]'],
    ['"%s".format([[1.0 / 0.0, 0.0 / 0.0]])', '["+Inf", "NaN"]'],
    ['"%s".format([{"key1": b"xyz", "key5": null, "key3": 2.71828}])', '{"key1":b"xyz", "key3":2.718280, "key5":null}'],
    ['"%s".format([["\\u00a0\\u0001"]])', '["\\u00a0\\x01"]'],
    ['"%f %f".format([1.0 / 0.0, -1.0 / 0.0])', '∞ -∞'],
    ['"%e %f".format(["Infinity", "NaN"])', '∞ NaN'],
    ['"%.1f %.0f %.0f".format([0.25, 2.5, 3.5])', '0.2 2 4'],
    ['"%.2f".format([1234567.125])', '1,234,567.12'],
  ])('%s', (expression, text) => {
    expect(evaluated(expression)).toBe(text);
  });
});

describe('formats whose arguments do not fit are refused', () => {
  const where = 'ERROR: <input>:1';
  test.each([
    ['"%s %s".format(["a"])', `${where}:15: index 1 out of range`],
    ['"%".format([])', `${where}:11: index 0 out of range`],
    ['"%".format([1])', `${where}:11: unexpected end of string`],
    ['"%s".format([1, 2])', `${where}:12: too many arguments supplied to string.format (expected 1, got 2)`],
    [
      '"%b".format(["a"])',
      `${where}:14: error during formatting: only integers and bools can be formatted as binary, was given string`,
    ],
    [
      '"%X".format([0.5])',
      `${where}:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double`,
    ],
    [
      '"%d %z".format(["a", 1])',
      `${where}:17: error during formatting: decimal clause can only be used on integers, was given string`,
    ],
    [
      '"%.34".format([5.0])',
      `${where}:14: could not parse formatting clause: error while parsing precision: could not find end of precision specifier`,
    ],
    ['"%f".format(["x"])', 'error during formatting: fixed-point clause can only be used on doubles, was given string'],
    [
      '"%d".format([dyn(1.0 / 0.0)])',
      'error during formatting: decimal clause can only be used on integers, was given double',
    ],
    ['"%s".format([[dyn(ip("::1"))]])', 'error during formatting: no formatting function for net.IP'],
    ['"%s".format([{1.5: 1}])', 'error during formatting: no formatting function for map key of type double'],
  ])('%s', (expression, message) => {
    expect(evaluated(expression)).toBe(message);
  });
});

test.each([
  ['"abc".indexOf("", 10)', 10],
  ['"abc".lastIndexOf("", 10)', 10],
  ['"abc".indexOf("a", 10)', -1],
  ['"abc".lastIndexOf("")', 3],
  ['"abc".findAll("b*")', ['', 'b', '']],
  ['"aab".findAll("a*")', ['aa', '']],
])('%s', (expression, value) => {
  expect(evaluated(expression)).toEqual(value);
});
