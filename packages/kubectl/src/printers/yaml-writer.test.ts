import { parseYaml } from '@coracle/apimachinery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatYaml } from './yaml-writer.js';

test.each([
  ['text', 'plain', 'plain'],
  ['a flag', '-u', '-u'],
  ['an alias sign', '*/1 * * * *', "'*/1 * * * *'"],
  ['a number', '1', '"1"'],
  ['an old flag', 'y', '"y"'],
  ['minutes', '12:30', '"12:30"'],
  ['a date', '2026-01-02', '"2026-01-02"'],
  ['a colon with a space', 'a: b', "'a: b'"],
  ['a comment sign', 'a #b', "'a #b'"],
  ['nothing', '', '""'],
  ['a tab', 'a\tb', '"a\\tb"'],
  ['lines', 'a\nb\n', '|\n  a\n  b'],
  ['lines without an end', 'a\nb', '|-\n  a\n  b'],
])('writes %s as the Go tools do', (_, value, text) => {
  expect(formatYaml({ k: value })).toBe(`k: ${text}\n`);
});

test('sorts keys and does not indent lists', () => {
  expect(formatYaml({ b: [{ y: 1, x: [] }, 'c'], a: {} })).toBe('a: {}\nb:\n- x: []\n  "y": 1\n- c\n');
});

test('what is written is read back', () => {
  const key = fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((text) => text !== '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[-+.0-9:eEyYnNoOtTfF~ #\n'"]{0,8}$/),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), (object) => {
      expect(parseYaml(formatYaml(object))).toEqual(object);
    }),
    { numRuns: 300 },
  );
});
