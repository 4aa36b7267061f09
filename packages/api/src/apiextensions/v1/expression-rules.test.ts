import type { FieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { correlate } from './correlation.js';
import { ExpressionRules } from './expression-rules.js';

const text: JSONSchemaProps = { type: 'string' };
const pair: JSONSchemaProps = { type: 'object', properties: { k: text, v: text } };
const open: JSONSchemaProps = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: { named: text, any: { 'x-kubernetes-preserve-unknown-fields': true } },
};
const list = (items: JSONSchemaProps): JSONSchemaProps => ({ type: 'array', items });
const keyed = (key: string, items: JSONSchemaProps): JSONSchemaProps => ({
  ...list(items),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});
const set: JSONSchemaProps = { ...list(text), 'x-kubernetes-list-type': 'set' };
const schema: JSONSchemaProps = {
  type: 'object',
  properties: {
    nullable: { ...text, nullable: true },
    open: list(open),
    keyed: list(keyed('k', pair)),
    odd: list(keyed('k!', { type: 'object', properties: { 'k!': text } })),
    s: set,
    t: set,
  },
};

/** Whether an object satisfies a rule. */
function satisfies(rule: string, object: object): boolean {
  const rules = new ExpressionRules({ ...schema, 'x-kubernetes-validations': [{ rule, message: 'broken' }] });
  const { errors } = rules.validate(correlate(object, undefined));
  expect(errors.filter(({ body }) => !body.endsWith(': broken'))).toEqual([]);
  return errors.length === 0;
}

test.each([
  ['!has(self.nullable)', { nullable: null }, true],
  ['self.?nullable.orValue("none") == "none"', { nullable: null }, true],
  ['has(self.nullable)', { nullable: 'x' }, true],
])('a field that is null is absent: %s', (rule, object, expected) => {
  expect(satisfies(rule, object)).toBe(expected);
});

test.each([
  [{ named: 'x', other: 1 }, { named: 'x', other: 1 }, true],
  [{ named: 'x', other: 1 }, { named: 'x', other: 2 }, false],
  [{ named: 'x', other: 1 }, { named: 'x', another: 1 }, false],
  [{ named: 'x', other: 1 }, { named: 'x' }, false],
  [{ any: [1, { z: 1 }] }, { any: [1, { z: 1 }] }, true],
  [{ any: [1, { z: 1 }] }, { any: [1, { z: 2 }] }, false],
])('objects are compared with the fields that expressions cannot read: %j and %j', (a, b, expected) => {
  expect(satisfies('self.open[0] == self.open[1]', { open: [a, b] })).toBe(expected);
  expect(satisfies('self.open[0] != self.open[1]', { open: [a, b] })).toBe(!expected);
});

const lists = [
  [
    { k: 'a', v: '1' },
    { k: 'b', v: '2' },
  ],
  [
    { k: 'b', v: '3' },
    { k: 'a', v: '1' },
  ],
];

test.each([
  ['self.keyed[0] + self.keyed[1] == self.keyed[1]', { keyed: lists }],
  ['(self.keyed[0] + self.keyed[1] + self.keyed[0]).size() == 2', { keyed: lists }],
  ['self.s + self.t == ["c", "b", "a"]', { s: ['a', 'b'], t: ['b', 'c'] }],
  ['(self.s + ["z"] + self.t).size() == 4', { s: ['a', 'b'], t: ['b', 'c'] }],
])('sets and keyed lists that are joined are so, too: %s', (rule, object) => {
  expect(satisfies(rule, object)).toBe(true);
});

test('a key that no expression can name tells items apart', () => {
  const odd = [
    [{ 'k!': 'a' }, { 'k!': 'b' }],
    [{ 'k!': 'b' }, { 'k!': 'c' }],
  ];
  expect(satisfies('self.odd[0] != self.odd[1]', { odd })).toBe(true);
});

test.each([
  ['.spec.name', 'spec.name'],
  ['.spec.labels.app', 'spec.labels[app]'],
  [".spec.labels['a.b/c']", 'spec.labels[a.b/c]'],
  [".spec['name']", 'spec.name'],
  [".spec.labels['it\\'s']", "spec.labels[it's]"],
])('the field path %s of a rule is shown as %s', (fieldPath, shown) => {
  const labels = { type: 'object', additionalProperties: text };
  const spec = { type: 'object', properties: { name: text, labels } };
  const rules = [{ rule: 'false', fieldPath }];
  const level = { type: 'object', properties: { spec }, 'x-kubernetes-validations': rules };
  const problems = (found: readonly FieldError[]) => found.map(({ field }) => field);
  const object = correlate({ spec: {} }, undefined);
  expect(problems(new ExpressionRules(level).validate(object).errors)).toEqual([shown]);
  const below = { type: 'object', properties: { below: level } };
  const outer = correlate({ below: { spec: {} } }, undefined);
  expect(problems(new ExpressionRules(below).validate(outer).errors)).toEqual([`below.${shown}`]);
});

test.each([
  ['FieldValueInvalid', 'Invalid value: "x": broken', 'Invalid value: broken'],
  ['FieldValueForbidden', 'Forbidden: broken', 'Forbidden: broken'],
  ['FieldValueRequired', 'Required value: broken', 'Required value: broken'],
  ['FieldValueDuplicate', 'Duplicate value: "x"', 'Duplicate value'],
])('a rule with the reason %s has the error %s', (reason, ofText, ofObject) => {
  const bodies = (level: JSONSchemaProps, value: unknown) => {
    const rules = [{ rule: 'false', message: 'broken', reason }];
    const found = new ExpressionRules({ ...level, 'x-kubernetes-validations': rules }, false);
    return found.validate(correlate(value, undefined)).errors.map(({ body }) => body);
  };
  expect(bodies(text, 'x')).toEqual([ofText]);
  expect(bodies(pair, { k: 'x' })).toEqual([ofObject]);
});

describe('values that are not of their type', () => {
  const typed: Readonly<Record<string, JSONSchemaProps>> = {
    s: text,
    i: { type: 'integer' },
    n: { type: 'number' },
    b: { type: 'boolean' },
    time: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    bytes: { type: 'string', format: 'byte' },
    list: list(text),
    map: { type: 'object', additionalProperties: text },
    object: pair,
    either: { 'x-kubernetes-int-or-string': true },
  };
  const uses = [
    'self.s.matches("a")',
    '-self.i > self.i + 1',
    'self.n * 2.0 > 1.0',
    '!self.b',
    'self.time.getHours() > 1',
    'self.span + self.span > duration("1s")',
    'self.bytes.size() > 1',
    'self.list.all(x, x.startsWith("a"))',
    'self.map.all(k, self.map[k].size() > 1)',
    'self.object.k.size() > 1',
    'self.either == 1 || self.either.size() > 1',
  ];
  const odd = [null, 'x', 1, 1.5, 1e300, true, [], [null, 1], {}, { k: 1 }];
  const cases = uses.flatMap((rule) => odd.map((value) => [rule, value] as const));

  test.each(cases)('%s fails or decides for %j', (rule, value) => {
    for (const nullable of [false, true]) {
      const properties = Object.fromEntries(Object.entries(typed).map(([name, one]) => [name, { ...one, nullable }]));
      const rules = new ExpressionRules({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] });
      const object = Object.fromEntries(Object.keys(typed).map((name) => [name, value]));
      const { errors } = rules.validate(correlate(object, undefined));
      for (const { body } of errors) expect(body).toMatch(/evaluating rule|no such overload|failed rule/);
    }
  });

  test('what is wrong is named, also where the rule is on the value itself', () => {
    const rules = [{ rule: 'self > 1' }, { rule: 'true' }];
    const level = { type: 'integer', 'x-kubernetes-validations': rules };
    const { errors } = new ExpressionRules(level, false).validate(correlate('x', undefined));
    expect(errors.map(({ body }) => body)).toEqual([
      'Invalid value: "integer": invalid data, expected int, got string evaluating rule: self > 1',
    ]);
  });

  test('items that are null have no methods', () => {
    const items = { ...text, nullable: true };
    const rule = 'self.all(x, x.size() > 0)';
    const level = {
      ...list(items),
      'x-kubernetes-validations': [{ rule }, { rule: 'self.exists(x, type(x) == null_type)' }],
    };
    const { errors } = new ExpressionRules(level, false).validate(correlate(['a', null], undefined));
    expect(errors.map(({ body }) => body)).toEqual([expect.stringContaining('no such overload: size(null_type)')]);
  });

  test('integers may be larger than JavaScript counts exactly', () => {
    const level = {
      type: 'integer',
      'x-kubernetes-validations': [{ rule: 'self > 0 && type(self) == int' }, { rule: 'self + 1 > 0' }],
    };
    const { errors } = new ExpressionRules(level, false).validate(correlate(2n ** 63n - 1n, undefined));
    expect(errors.map(({ body }) => body)).toEqual([
      expect.stringContaining('integer overflow evaluating rule: self + 1 > 0'),
    ]);
    expect(new ExpressionRules(level, false).validate(correlate(2n ** 60n, undefined)).errors).toEqual([]);
    const { errors: wrongType } = new ExpressionRules(level, false).validate(correlate(2 ** 63, undefined));
    expect(wrongType[0]?.body).toContain('expected int, got float64');
  });
});

describe('message expressions that cost too much', () => {
  const bodiesFor = (count: number, items: number) => {
    const messageExpression = 'self.l.all(x, self.l.all(y, true)) ? "shown" : ""';
    const rules = Array.from({ length: count }, () => ({ rule: 'false', message: 'plain', messageExpression }));
    const level = { type: 'object', properties: { l: list(text) }, 'x-kubernetes-validations': rules };
    const object = { l: Array.from({ length: items }, () => 'x') };
    return new ExpressionRules(level).validate(correlate(object, undefined)).errors.map(({ body }) => body);
  };

  test('end the validation at the limit of a call', () => {
    expect(bodiesFor(2, 1000)).toEqual([
      'Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for ' +
        'messageExpression: "self.l.all(x, self.l.all(y, true)) ? \\"shown\\" : \\"\\""',
    ]);
  });

  test('end the validation at the limit of an object', () => {
    const bodies = bodiesFor(40, 540);
    expect(bodies.length).toBeLessThan(40);
    expect(new Set(bodies.slice(0, -1))).toEqual(new Set(['Invalid value: shown']));
    expect(bodies.at(-1)).toBe(
      'Invalid value: "object": messageExpression evaluation failed due to running out of cost budget, ' +
        'no further validation rules will be run',
    );
  });
});
