import { FieldPath } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { correlate } from './correlation.js';
import { validateValue } from './json-value.validation.js';

/** Less than a quarter of a second on a quiet machine; the other threads of the process are counted, too. */
const limitMs = 3_000;
const text = (pattern: string): JSONSchemaProps => ({ type: 'string', pattern });
const list = (items: JSONSchemaProps): JSONSchemaProps => ({ type: 'array', items });
const values = Array.from({ length: 2_000 }, (_, i) => `v${i}`);
const many = (value: string) => Array.from({ length: 100_000 }, () => value);

test.each<readonly [string, JSONSchemaProps, unknown, number]>([
  ['a pattern of nested repetitions', text('^(([a-z])+.)+[A-Z]([a-z])+$'), 'a'.repeat(100_000), 1],
  ['a pattern of ambiguous repetitions', text('^(a|aa)+$'), `${'a'.repeat(100_000)}!`, 1],
  ['a pattern that begins anywhere', text('(x+x+)+y'), 'x'.repeat(100_000), 1],
  ['a pattern of counted repetitions', text('^(a{1,30}){1,30}$'), `${'a'.repeat(20_000)}!`, 1],
  ['many values of a long enum', list({ type: 'string', enum: values }), many('v1999'), 0],
  ['many values that a long enum does not have', list({ type: 'string', enum: values }), many('x'), 500],
  ['many values of the wrong length', list({ type: 'string', minLength: 9 }), many('x'), 500],
])('%s is validated within its limit', (_, schema, value, errors) => {
  const before = process.cpuUsage();
  const found = validateValue(value, schema, FieldPath.of('spec'));
  const { user, system } = process.cpuUsage(before);
  expect(found).toHaveLength(errors);
  expect((user + system) / 1000).toBeLessThan(limitMs);
});

test('numbers, booleans and objects are found in enums of any length', () => {
  const schema = { enum: [...values, 1, true, null, { a: 1 }] } as JSONSchemaProps;
  for (const value of [1, true, null, { a: 1 }, 'v7']) {
    expect(validateValue(value, schema, FieldPath.of('spec'))).toEqual([]);
  }
  for (const value of [2, false, { a: 2 }, '1']) {
    expect(validateValue(value, schema, FieldPath.of('spec'))).toHaveLength(1);
  }
});

test('an update of a long keyed list takes no longer than its length', () => {
  const schema: JSONSchemaProps = {
    ...list({ type: 'object', properties: { k: { type: 'string' }, v: { type: 'string', maxLength: 1 } } }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  };
  const items = Array.from({ length: 20_000 }, (_, i) => ({ k: `k${i}`, v: i < 3 ? 'long' : 'x' }));
  const changed = items.toReversed().map((item) => (item.k === 'k1' ? { k: 'k1', v: 'longer' } : item));
  const before = process.cpuUsage();
  const found = validateValue(changed, schema, FieldPath.of('spec'), correlate(changed, items));
  const { user, system } = process.cpuUsage(before);
  // Values that were too long before may stay.
  expect(found.map(({ field }) => field)).toEqual(['spec[19998].v']);
  expect((user + system) / 1000).toBeLessThan(limitMs);
});
