import { describe, expect, test } from 'vitest';
import { evaluated } from '../evaluate.fixture.js';

describe('quantities', () => {
  // Only values of 64-bit integer types are integers, even if a fraction is zero.
  test.each([
    ['50k', true],
    ['50.703k', true],
    ['1E', true],
    ['10E', false],
    ['10Ti', true],
    ['100Ti', false],
    ['1.5Gi', false],
    ['1000m', false],
    ['3.000', false],
    ['999999999999999999', true],
    ['9223372036854775807', false],
  ])('%s is an integer: %s', (text, isInteger) => {
    expect(evaluated(`quantity("${text}").isInteger()`)).toBe(isInteger);
  });

  test.each([
    ['quantity("999999999999999999").add(1).asInteger() == 1000000000000000000', true],
    ['quantity("500m").add(quantity("500m")).isInteger()', false],
    ['quantity("50k").add(20).sub(quantity("100k")).sub(-50000).asInteger()', 20],
    ['quantity("99999999999999999999").asApproximateFloat()', 1e20],
    ['quantity("1k").sub(quantity("1.5")).asApproximateFloat()', 998.5],
  ])('%s', (expression, value) => {
    expect(evaluated(expression)).toBe(value);
  });
});

describe('URLs', () => {
  test.each([
    ['url("//host/path").getHost()', 'host'],
    ['url("HTTP://h/p?x=1#f").getQuery()', { x: ['1'] }],
    ['url("https://h/p#f").getEscapedPath()', '/p'],
    ['url("http://h/?x=%zz&y=a;b&c=1").getQuery()', { c: ['1'] }],
    ['url("http://h/a%2fb").getEscapedPath()', '/a%2fb'],
    ['url("http://h/a%2fb c").getEscapedPath()', '/a/b%20c'],
    ['url("http://[::1]:80/").getPort()', '80'],
    ['["*", "urn:a/b", "http:"].all(u, isURL(u))', true],
    ['["http://[1.2.3.4]/", "http://%41/", "http://u ser@h/", "http://h:1:2/", "?a"].exists(u, isURL(u))', false],
    ['format.uri().validate("x").value()', ['parse "x": invalid URI for request']],
    ['format.uri().validate("mailto:a").hasValue()', false],
  ])('%s', (expression, value) => {
    expect(evaluated(expression)).toEqual(value);
  });
});

test.each([
  ['ip("ff12::1").isLinkLocalMulticast()', true],
  ['ip("ff05::2").isLinkLocalMulticast()', false],
  ['isSemver(" 1.2.3", true)', false],
  ['semver("1.2-alpha", true)', 'short version cannot contain PreRelease/Build meta data'],
  ['semver("v01.2", true).major()', 1],
  ['format.byte().validate("").hasValue()', true],
  ['format.datetime().validate("2026-01-02t03:04:05z").hasValue()', false],
])('%s', (expression, value) => {
  expect(evaluated(expression)).toBe(value);
});
