import { describe, expect, test } from 'vitest';
import { LabelSelector } from './label-selector.js';
import { parseLabelSelector } from './parse-label-selector.js';

describe('LabelSelector', () => {
  const labels = { app: 'web', tier: 'front', level: '5' };
  const cases = [
    ['', true],
    ['app=web', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (web,db)', true],
    ['missing in (x)', false],
    ['app notin (web)', false],
    ['missing notin (x)', true],
    ['app', true],
    ['!app', false],
    ['!missing', true],
    ['level>4', true],
    ['level>5', false],
    ['level<6', true],
    ['app>1', false],
    ['app=web,tier=back', false],
    ['constructor', false],
  ] as const;

  test.each(cases)('"%s" matches: %s', (text, matches) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(matches);
  });

  test('an absent selector object matches nothing, an empty one everything', () => {
    expect(LabelSelector.fromObject(undefined).matches(labels)).toBe(false);
    expect(LabelSelector.fromObject({}).matches(labels)).toBe(true);
    expect(LabelSelector.fromObject({}).isEmpty).toBe(true);
    expect(LabelSelector.fromObject(undefined).isEmpty).toBe(false);
  });

  test('has matchLabels and matchExpressions together', () => {
    const selector = LabelSelector.fromObject({
      matchLabels: { tier: 'front' },
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['web', 'db'] },
        { key: 'x', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.toString()).toBe('app in (db,web),tier=front,!x');
    expect(selector.matches(labels)).toBe(true);
  });

  test('refuses an unknown operator', () => {
    expect(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'Gt' }] })).toThrow(
      '"Gt" is not a valid label selector operator',
    );
  });
});
