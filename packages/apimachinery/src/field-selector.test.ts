import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldSelector, parseFieldSelector } from './field-selector.js';

describe('parseFieldSelector', () => {
  const cases = [
    { text: '', requirements: [] },
    { text: 'a=b', requirements: [{ field: 'a', operator: '=', value: 'b' }] },
    { text: 'a==b', requirements: [{ field: 'a', operator: '=', value: 'b' }] },
    { text: 'a.b!=', requirements: [{ field: 'a.b', operator: '!=', value: '' }] },
    { text: ',a=b,,', requirements: [{ field: 'a', operator: '=', value: 'b' }] },
    { text: 'a=b\\,c\\=d\\\\', requirements: [{ field: 'a', operator: '=', value: 'b,c=d\\' }] },
  ];

  test.each(cases)('reads "$text"', ({ text, requirements }) => {
    expect(parseFieldSelector(text).requirements).toEqual(requirements);
  });

  const refused = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b=c', 'invalid field selector: unescaped character in value: ='],
  ] as const;

  test.each(refused)('refuses "%s"', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  test('parses what it prints, for any value', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('=' as const, '!=' as const), (value, operator) => {
        const selector = new FieldSelector([{ field: 'metadata.name', operator, value }]);
        expect(parseFieldSelector(selector.toString()).requirements).toEqual(selector.requirements);
      }),
    );
  });
});

describe('FieldSelector', () => {
  const fields = { 'metadata.name': 'web', 'status.phase': 'Running' };
  const cases = [
    ['', true],
    ['metadata.name=web', true],
    ['metadata.name!=web', false],
    ['spec.nodeName=', true],
    ['spec.nodeName!=', false],
    ['metadata.name=web,status.phase=Failed', false],
  ] as const;

  test.each(cases)('"%s" matches: %s', (text, matches) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(matches);
  });

  test('reports which value a field must have', () => {
    const selector = parseFieldSelector('metadata.name=a,spec.nodeName!=b');
    expect([selector.requiredValue('metadata.name'), selector.requiredValue('spec.nodeName')]).toEqual([
      'a',
      undefined,
    ]);
  });
});
