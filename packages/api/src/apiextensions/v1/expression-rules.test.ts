import { expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { correlate } from './correlation.js';
import { ExpressionRules } from './expression-rules.js';

const text: JSONSchemaProps = { type: 'string' };
const pair: JSONSchemaProps = { type: 'object', properties: { k: text, v: text } };
const open: JSONSchemaProps = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: { known: text, any: { 'x-kubernetes-preserve-unknown-fields': true } },
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
  [{ known: 'x', other: 1 }, { known: 'x', other: 1 }, true],
  [{ known: 'x', other: 1 }, { known: 'x', other: 2 }, false],
  [{ known: 'x', other: 1 }, { known: 'x', another: 1 }, false],
  [{ known: 'x', other: 1 }, { known: 'x' }, false],
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
