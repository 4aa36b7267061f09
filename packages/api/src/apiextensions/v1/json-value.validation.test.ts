import { FieldPath, formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { isOfFormat } from './formats.js';
import { type ValueHistory, validatePart, validateValue } from './json-value.validation.js';
import { checkListKeys } from './list-keys.validation.js';

const at = FieldPath.of('spec');
const problems = (value: unknown, schema: JSONSchemaProps, history?: ValueHistory) =>
  validateValue(value, schema, at, history).map(formatFieldError);

test('a part names its fields from where it begins', () => {
  const schema: JSONSchemaProps = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    additionalProperties: { type: 'string' },
    not: {},
  };
  expect(validatePart({ n: 'x', a: 1 }, schema, FieldPath.of('status')).map(formatFieldError)).toEqual([
    'status: Invalid value: "": "" must not validate the schema (not)',
    'status.n: Invalid value: "string": n in body must be of type integer: "string"',
    'status.a: Invalid value: "integer": .a in body must be of type string: "integer"',
  ]);
});

describe('values by their schema', () => {
  const cases: [string, unknown, JSONSchemaProps, string[]][] = [
    [
      'a fraction for an integer',
      1.5,
      { type: 'integer' },
      [
        'spec: Invalid value: "number": spec in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      ],
    ],
    [
      'a list for an object',
      [],
      { type: 'object' },
      ['spec: Invalid value: "array": spec in body must be of type object: "array"'],
    ],
    ['a null', null, { type: 'string' }, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
    ['a null where one may be', null, { type: 'string', nullable: true }, []],
    [
      'a map value',
      { a: 0 },
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      ['spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1'],
    ],
    [
      'none of several',
      { x: 1 },
      { anyOf: [{ required: ['y'] }, { properties: { x: { minimum: 5 } } }] },
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        'spec.x: Invalid value: 1: spec.x in body should be greater than or equal to 5',
      ],
    ],
    [
      'two of several',
      7,
      { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'a format',
      'x',
      { type: 'string', format: 'date-time' },
      ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
    ],
  ];

  test.each(cases)('%s', (_, value, schema, want) => {
    expect(problems(value, schema)).toEqual(want);
  });

  test('unchanged invalid values are tolerated in an update', () => {
    const schema: JSONSchemaProps = { properties: { a: { maxLength: 1 }, b: { maxLength: 1 } } };
    const changed = (fields: readonly string[]): ValueHistory => ({
      isUnchanged: () => fields.length === 0,
      field: (name) => changed(fields.includes(name) ? [name] : []),
      item: () => changed(fields),
    });
    expect(problems({ a: 'long', b: 'long' }, schema, changed(['b']))).toEqual([
      'spec.b: Too long: may not be more than 1 bytes',
    ]);
  });
});

test('sets and keyed lists reject duplicates, in any order of fields', () => {
  const set: JSONSchemaProps = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } };
  const found = checkListKeys(
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    set,
    at,
  ).map(formatFieldError);
  expect(found).toEqual(['spec[1]: Duplicate value: {"a":1,"b":2}']);
});

describe('formats', () => {
  test.each([
    ['date-time', ['2026-01-02T03:04:05Z', '2026-01-02t03:04:05z'], ['2026-02-30T00:00:00Z', '2026-01-02']],
    ['duration', ['1.5h', '22 ns', '1 day', 'P1D', 'about 2 weeks'], ['5', '', '3 hrs', '1 fortnight']],
    ['ipv4', ['1.2.3.4', '::ffff:1.2.3.4'], ['::1', '01.2.3.4']],
    ['email', ['a@b', 'Some One <a@b.c>', '"a b"@c'], ['a..b@c', 'a b@c', 'a@b>', 'a@b.', '@b']],
    ['byte', ['aGk='], ['', 'aGk', '____']],
    ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab'], ['01:23:45', '01:23:45:67:89:zz']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-c456-426614174000']],
    ['hostname', ['EXAMPLE', 'a.example', 'a-b'], ['a_b', 'example.com.', 'a..b', 'a-b-c', 'a.b']],
    ['uri', ['/abs', 'https://a', 'https://a/b c'], ['a b', '', 'http://a b', 'http://h:port']],
    ['isbn10', ['080442957X'], ['080442957x']],
    ['isbn13', ['978-0321751041'], ['9780321751042']],
    ['creditcard', ['4111-1111-1111-1111'], ['4111-1111-1111-1112']],
    ['rgbcolor', ['rgb( 1 , 2 , 3 )'], ['rgb(1,2,256)', 'rgb(01,2,3)']],
    ['k8s-short-name', ['a'], ['A']],
    ['nonsense', ['anything'], []],
  ] as [string, string[], string[]][])('%s', (format, good, bad) => {
    expect(good.filter((text) => !isOfFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => isOfFormat(format, text))).toEqual([]);
  });
});
