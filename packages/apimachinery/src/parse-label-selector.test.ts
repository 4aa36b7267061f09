import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LabelSelector } from './label-selector.js';
import { parseLabelSelector } from './parse-label-selector.js';

describe('parseLabelSelector', () => {
  const printed = [
    ['', ''],
    ['a=b', 'a=b'],
    ['a == b', 'a==b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['b,a', 'a,b'],
    ['!a', '!a'],
    ['a in (c,b)', 'a in (b,c)'],
    ['a notin (b)', 'a notin (b)'],
    ['a in (,b)', 'a in (,b)'],
    ['a in (in,notin)', 'a in (in,notin)'],
    ['a>1,b<2', 'a>1,b<2'],
    ['example.com/a=1', 'example.com/a=1'],
    ['in in (x)', 'in in (x)'],
  ] as const;

  test.each(printed)('reads "%s" and prints "%s"', (text, expected) => {
    expect(parseLabelSelector(text).toString()).toBe(expected);
  });

  const refused = [
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    [
      'a in ()',
      "unable to parse requirement: values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      'a>x',
      "unable to parse requirement: values: Invalid value: [\"x\"]: for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ] as const;

  test.each(refused)('refuses "%s"', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test('names the invalid key and the invalid value', () => {
    expect(() => parseLabelSelector('-a=b')).toThrow(
      'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist',
    );
    expect(() => parseLabelSelector('a=-b')).toThrow(
      'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must',
    );
  });

  test('parses what it prints', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    const requirement = fc.record({
      key: word,
      operator: fc.constantFrom(
        '=' as const,
        '!=' as const,
        'in' as const,
        'notin' as const,
        'exists' as const,
        '!' as const,
      ),
      values: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(requirement, { selector: ({ key }) => key }), (requirements) => {
        const terms = requirements.map(({ key, operator, values }) => {
          const retainedTerms =
            operator === 'in' || operator === 'notin'
              ? values
              : operator === '=' || operator === '!='
                ? values.slice(0, 1)
                : [];
          return { key, operator, values: retainedTerms.sort() };
        });
        const selector = LabelSelector.of(terms);
        expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements);
      }),
    );
  });
});
