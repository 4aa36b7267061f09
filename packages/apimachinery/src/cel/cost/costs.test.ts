import { expect, test } from 'vitest';
import { CelEnvironment } from '../cel-environment.js';
import { intType, listType, mapType, objectType, stringType } from '../values/cel-type.js';
import { fromJson } from '../values/json-value.js';
import type { CostRange } from './cost-range.js';

const environment = new CelEnvironment({
  variables: {
    s: stringType,
    texts: listType(stringType),
    numbers: listType(intType),
    map: mapType(stringType, intType),
    o: objectType('o', new Map([['a', stringType]])),
  },
});
const variables = {
  s: 'twelve chars',
  texts: fromJson(['a', 'éééééééééé']),
  numbers: fromJson([1, 1, 2, 2, 3, 3, 4, 5]),
  map: fromJson({ b: 1, d: 2 }),
  o: fromJson({ a: 'x' }),
};

/** Texts have up to a thousand characters. */
const estimated = (expression: string): CostRange =>
  environment.compile(expression).estimateCost((path) => (path.length === 1 ? { min: 0, max: 1000 } : undefined));

test.each([
  ['ip("192.168.0.1")', 2, 2],
  ['ip(s)', 1, 101],
  ['isIP(s)', 1, 101],
  ['isCIDR(s)', 1, 101],
  ['cidr(s).ip()', 2, 102],
  ['ip.isCanonical("2001:db8:3333:4444:5555:6666:7777:8888")', 8, 8],
  ['isQuantity(s)', 1, 101],
  ['quantity(s).isInteger()', 2, 102],
  ['semver("1234.56789012345.67890123456789")', 4, 4],
  ['isSemver(s)', 1, 101],
  ['ip(s) == ip(s)', 3, 203],
  ['url(s) == url("https://a.b/c")', 4, 105],
  ['url("https://a.b/c") == url(s)', 4, 203],
  ['format.named("dns1123Label").value() == format.named("dns1123Label").value()', 5, 11],
  ['format.dns1123Label().validate("my-name")', 33, 33],
])('%s costs as much as reading its text: %d to %d', (expression, min, max) => {
  expect(estimated(expression)).toEqual({ min, max });
});

test.each([
  ['format.dns1123Subdomain().validate("my-name")', 16],
  ['format.dns1123Label().validate("my-name")', 9],
  ['ip("2001:db8::1") == ip("2001:db8::1")', 5],
  // Short texts are compared for nothing, in bytes.
  ['texts.isSorted()', 3],
  ['numbers.sum()', 9],
  ['s.indexOf("c")', 2],
  // A variable that is a branch of a condition, or a key, is not charged again.
  ['true ? s : ""', 0],
  ['true ? o.a : ""', 1],
  ['true ? (true ? s : "") : ""', 0],
  ['map.all(k, map[k] > 0)', 14],
  ['numbers.filter(n, n % 2 == 0).size()', 66],
  ['numbers.exists_one(n, n > 4)', 21],
  ['optional.of("a").or(optional.of("b")).hasValue()', 2],
  ['o.?a.orValue("") == "x"', 3],
  ['map[?"nosuch"].hasValue()', 2],
])('running %s costs %d', (expression, cost) => {
  const outcome = environment.compile(expression).run(variables);
  expect(outcome.error).toBeUndefined();
  expect(outcome.cost).toBe(cost);
});

test.each([
  // The call with the failure as an argument, and what its other argument costs.
  ['size(string(1 / 0))', 'division by zero', 3],
  ['1 / 0 == 1', 'division by zero', 2],
  ['1 / 0 + size(s)', 'division by zero', 4],
  ['size(s) + 1 / 0', 'division by zero', 4],
  ['s.startsWith(map["x"] == 1 ? "a" : "b")', 'no such key: x', 5],
  ['map["x"] in numbers', 'no such key: x', 11],
  // Of three arguments none is computed after the one that fails, and the call is not charged unless that is the last.
  ['s.replace(map["x"] == 1 ? "a" : "b", s)', 'no such key: x', 4],
  ['s.replace("a", map["x"] == 1 ? "a" : "b")', 'no such key: x', 7],
  ['[1, 1 / 0]', 'division by zero', 11],
  ['numbers.exists(n, n / 0 == 1)', 'division by zero', 58],
  ['dyn(1) + dyn("x")', 'no such overload', 1],
])('running %s fails, and costs what its arguments and calls cost', (expression, message, cost) => {
  const outcome = environment.compile(expression).run(variables);
  expect([outcome.error?.message, outcome.cost]).toEqual([message, cost]);
});
