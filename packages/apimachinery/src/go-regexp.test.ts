import { describe, expect, it } from 'vitest';
import { GoRegexpError, goRegexp } from './go-regexp.js';

describe('regular expressions of Go', () => {
  it.each([
    ['^a.c$', 'abc', true],
    ['(?i)ABC', 'xabcx', true],
    ['^(?P<year>\\d{4})-\\d\\d$', '2026-11', true],
    ['\\pL+', 'é', true],
    ['[[:digit:]]', 'a', false],
    ['\\z', 'x', true],
  ])('%s against %s is %s', (pattern, text, matches) => {
    expect(goRegexp(pattern).test(text)).toBe(matches);
  });

  it('find the matches from the left, up to a limit', () => {
    expect(goRegexp('[0-9]+').find('1 22 333', Number.POSITIVE_INFINITY)).toEqual(['1', '22', '333']);
    expect(goRegexp('[0-9]+').find('1 22 333', 2)).toEqual(['1', '22']);
    expect(goRegexp('x*').find('ab', Number.POSITIVE_INFINITY)).toEqual(['', '', '']);
  });

  it.each([
    ['a(', 'error parsing regexp: missing closing ): `a(`'],
    ['(?=x)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
  ])('reject %s with Go’s message', (pattern, message) => {
    expect(() => goRegexp(pattern)).toThrow(new GoRegexpError(message));
  });

  it('take linear time where backtracking would take exponential time', () => {
    expect(goRegexp('^(a+)+$').test(`${'a'.repeat(10_000)}b`)).toBe(false);
    expect(goRegexp('(x+x+)+y').test('x'.repeat(10_000))).toBe(false);
  });
});
