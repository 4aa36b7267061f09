import { describe, expect, test } from 'vitest';
import { decodeObject, decodingWarnings, strictDecodingError } from './decode-object.js';
import { decimalLiterals } from './find-duplicates.js';
import type { FieldSchema, ObjectSchema, Presence, Schema } from './schema.js';
import { StatusError } from './status-error.js';

const item = object('Item', { name: 'string', count: 'int32' });
const schema = object('io.example.Thing', {
  text: 'string',
  flag: 'boolean',
  small: 'int32',
  large: 'int64',
  real: 'double',
  data: 'bytes',
  at: 'time',
  precise: 'microTime',
  span: 'duration',
  amount: 'quantity',
  port: 'intOrString',
  free: { type: 'any' },
  items: { type: 'list', items: item },
  labels: { type: 'map', values: { type: 'string' } },
  maybe: [{ type: 'list', items: { type: 'string' } }, 'nonzero'],
  child: object('Child', { always: ['string', 'always'], optional: 'string' }),
});

describe('decodeObject', () => {
  const accepted = [
    { name: 'keeps plain values', input: { text: 'a', flag: true, small: 1, large: 2 ** 40, real: 1.5 } },
    { name: 'keeps empty values that were given', input: { text: '', flag: false, small: 0, labels: {}, items: [] } },
    { name: 'drops null', input: { text: null, child: null }, expected: {} },
    { name: 'drops empty values of a nonzero field', input: { maybe: [] }, expected: {} },
    {
      name: 'adds the empty value of a field that is always there',
      input: { child: {} },
      expected: { child: { always: '' } },
    },
    { name: 'canonicalises quantities', input: { amount: '1000m' }, expected: { amount: '1' } },
    { name: 'takes a number for a quantity', input: { amount: 0.5 }, expected: { amount: '500m' } },
    { name: 'keeps the kind of an int-or-string', input: { port: '80' } },
    { name: 'keeps the number of an int-or-string', input: { port: 80 } },
    {
      name: 'turns a time into UTC',
      input: { at: '2026-01-01T01:30:00.25+01:00' },
      expected: { at: '2026-01-01T00:30:00Z' },
    },
    {
      name: 'keeps microseconds',
      input: { precise: '2026-01-01T01:00:00.123456+01:00' },
      expected: { precise: '2026-01-01T00:00:00.123456Z' },
    },
    { name: 'writes durations as Go does', input: { span: '90m' }, expected: { span: '1h30m0s' } },
    { name: 'takes line breaks out of base64', input: { data: 'AAEC\nAw==' }, expected: { data: 'AAECAw==' } },
    {
      name: 'turns a null item into an empty one',
      input: { items: [null], labels: { a: null } },
      expected: { items: [{}], labels: { a: '' } },
    },
    { name: 'keeps free-form values as they are', input: { free: { a: [null, { b: 1 }] } } },
  ];

  test.each(accepted)('$name', ({ input, expected }) => {
    expect(decodeObject(input, schema)).toEqual({ object: expected ?? input, unknownFields: [] });
  });

  const refused = [
    { input: { text: 5 }, message: 'json: cannot unmarshal number into Go struct field Thing.text of type string' },
    { input: { flag: 'x' }, message: 'json: cannot unmarshal string into Go struct field Thing.flag of type bool' },
    {
      input: { small: 1.5 },
      message: 'json: cannot unmarshal number 1.5 into Go struct field Thing.small of type int32',
    },
    {
      input: { small: 2 ** 31 },
      message: 'json: cannot unmarshal number 2147483648 into Go struct field Thing.small of type int32',
    },
    { input: { large: '1' }, message: 'json: cannot unmarshal string into Go struct field Thing.large of type int64' },
    {
      input: { port: 1.5 },
      message: 'json: cannot unmarshal number 1.5 into Go struct field Thing.port of type int32',
    },
    { input: { port: true }, message: 'json: cannot unmarshal bool into Go struct field Thing.port of type int32' },
    { input: { items: {} }, message: 'json: cannot unmarshal object into Go struct field Thing.items of type []' },
    {
      input: { items: [{}, { count: 'x' }] },
      message: 'json: cannot unmarshal string into Go struct field Item.items[1].count of type int32',
    },
    {
      input: { labels: { a: 1 } },
      message: 'json: cannot unmarshal number into Go struct field Thing.labels.a of type string',
    },
    { input: { child: [] }, message: 'json: cannot unmarshal array into Go struct field Thing.child of type Child' },
    { input: { data: 5 }, message: 'json: cannot unmarshal number 5 into Go struct field Thing.data of type []uint8' },
    { input: { data: 'x' }, message: 'illegal base64 data at input byte 0' },
    { input: { data: 'a,b' }, message: 'illegal base64 data at input byte 1' },
    { input: { data: 'YWJj\nYWü=' }, message: 'illegal base64 data at input byte 7' },
    { input: { data: 'YWJjYWI' }, message: 'illegal base64 data at input byte 4' },
    { input: { data: 'Y=' }, message: 'illegal base64 data at input byte 1' },
    { input: { data: 'YQ=' }, message: 'illegal base64 data at input byte 3' },
    { input: { data: 'YQ=\nQ' }, message: 'illegal base64 data at input byte 3' },
    { input: { data: 'YQ==\nYQ==' }, message: 'illegal base64 data at input byte 5' },
    { input: { data: 'YWI=Y' }, message: 'illegal base64 data at input byte 4' },
    {
      input: { amount: 'x' },
      message: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    },
    {
      input: { at: '2026-02-30T00:00:00Z' },
      message: 'parsing time "2026-02-30T00:00:00Z": not in RFC 3339 format',
    },
    {
      input: { precise: '2026-01-01T00:00:00Z' },
      message: 'parsing time "2026-01-01T00:00:00Z": not in RFC 3339 format',
    },
    { input: [], message: 'json: cannot unmarshal array into Go value of type Thing' },
  ];

  test.each(refused)('refuses $input', ({ input, message }) => {
    const error = thrown(() => decodeObject(input, schema));
    expect(error?.status).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test('keeps the low bits of a merged integer, where a string is invalid', () => {
    const decode = (input: object) => decodeObject(input, schema, { wrapsIntegers: true }).object;
    expect(decode({ items: [{ count: 99_999_999_999 }], large: 99_999_999_999 })).toEqual({
      items: [{ count: 1_215_752_191 }],
      large: 99_999_999_999,
    });
    expect(thrown(() => decode({ port: 99_999_999_999 }))).toBeDefined();
    expect(thrown(() => decode({ items: [{ count: 1.5 }] }))).toBeDefined();
  });

  test('collects unknown fields with their paths and drops them', () => {
    const { object, unknownFields } = decodeObject(
      { text: 'a', Text: 'b', items: [{ name: 'x' }, { foo: {} }] },
      schema,
    );
    expect(object).toEqual({ text: 'a', items: [{ name: 'x' }, {}] });
    expect(unknownFields).toEqual(['Text', 'items[1].foo']);
  });

  test('keeps unknown fields with x-kubernetes-preserve-unknown-fields', () => {
    const open: ObjectSchema = { ...item, preserveUnknown: true };
    expect(decodeObject({ name: 'x', foo: { a: 1 } }, open)).toEqual({
      object: { name: 'x', foo: { a: 1 } },
      unknownFields: [],
    });
  });

  test('shares nothing with its argument', () => {
    const input = { free: { a: [1] }, labels: { a: 'b' } };
    const { object } = decodeObject<typeof input>(input, schema);
    object.free.a.push(2);
    object.labels.a = 'c';
    expect(input).toEqual({ free: { a: [1] }, labels: { a: 'b' } });
  });

  test('treats __proto__ as a key of a map and as an unknown field of an object', () => {
    const input = JSON.parse('{"__proto__":{"flag":true},"labels":{"__proto__":"x"}}');
    const { object, unknownFields } = decodeObject<{ labels: object; flag?: boolean }>(input, schema);
    expect(unknownFields).toEqual(['__proto__']);
    expect(Object.keys(object.labels)).toEqual(['__proto__']);
    expect({ object: object.flag, prototype: Object.getPrototypeOf(object.labels) }).toEqual({
      object: undefined,
      prototype: Object.prototype,
    });
  });
});

describe('empty lists in items', () => {
  const rule = object('Rule', {
    name: 'string',
    verbs: [{ type: 'list', items: { type: 'string' } }, 'nonzero'],
    labels: [{ type: 'map', values: { type: 'string' } }, 'nonzero'],
  });
  const owner = object('Owner', {
    whole: { type: 'list', items: rule, listType: 'atomic' },
    keyed: { type: 'list', items: rule, listType: 'map', keys: ['name'] },
  });
  const input = { whole: [{ name: 'a', verbs: [], labels: {} }], keyed: [{ name: 'b', verbs: [] }] };

  test('are kept on request in atomic lists', () => {
    expect(decodeObject(input, owner, { keepsEmptyInLists: true })).toEqual({
      object: { whole: [{ name: 'a', verbs: [], labels: {} }], keyed: [{ name: 'b' }] },
      unknownFields: [],
      holdsEmpty: true,
    });
  });

  test('go otherwise, and when decoded again', () => {
    const expected = { object: { whole: [{ name: 'a' }], keyed: [{ name: 'b' }] }, unknownFields: [] };
    expect(decodeObject(input, owner)).toEqual(expected);
    expect(decodeObject(decodeObject(input, owner, { keepsEmptyInLists: true }).object, owner)).toEqual(expected);
  });
});

describe('strictDecodingError', () => {
  test('passes on messages of the reader of another format, in one line of a warning', () => {
    const strictErrors = {
      unknownFields: ['a'],
      duplicateFields: [],
      problems: ['yaml: unmarshal errors:\n  line 2: x'],
    };
    expect(strictDecodingError(strictErrors)).toBe(
      'strict decoding error: yaml: unmarshal errors:\n  line 2: x, unknown field "a"',
    );
    expect(decodingWarnings(strictErrors)).toEqual(['yaml: unmarshal errors: line 2: x', 'unknown field "a"']);
  });

  test('is undefined without errors', () => {
    expect(strictDecodingError({ unknownFields: [], duplicateFields: [] })).toBeUndefined();
  });

  test('joins all errors, which are also the warnings', () => {
    const decoded = { unknownFields: ['spec.foo'], duplicateFields: ['metadata.name'] };
    expect(strictDecodingError(decoded)).toBe(
      'strict decoding error: duplicate field "metadata.name", unknown field "spec.foo"',
    );
    expect(decodingWarnings(decoded)).toEqual(['duplicate field "metadata.name"', 'unknown field "spec.foo"']);
  });
});

type Type = Schema | Schema['type'];

function object(name: string, fields: Record<string, Type | [Type, Presence]>): ObjectSchema {
  const entries = Object.entries(fields).map(([field, described]) => {
    const [type, presence] = Array.isArray(described) ? described : ([described, 'given'] as const);
    const schema = (typeof type === 'string' ? { type } : type) as Schema;
    return [field, { name: field, schema, required: false, presence } satisfies FieldSchema] as const;
  });
  return { type: 'object', name, fields: new Map(entries) };
}

function thrown(run: () => unknown): StatusError | undefined {
  try {
    run();
  } catch (error) {
    if (StatusError.is(error)) return error;
    throw error;
  }
  return undefined;
}

describe('numbers that are written with a fraction or an exponent', () => {
  const decode = (text: string) => decodeObject(JSON.parse(text), schema, { literals: decimalLiterals(text) }).object;

  test.each([
    ['{"small":1.0}', 'json: cannot unmarshal number 1.0 into Go struct field Thing.small of type int32'],
    ['{"large": 1e2}', 'json: cannot unmarshal number 1e2 into Go struct field Thing.large of type int64'],
    ['{"port":8E1}', 'json: cannot unmarshal number 8E1 into Go struct field Thing.port of type int32'],
    [
      '{"items":[{"count":1},{"count":-2.0}]}',
      'json: cannot unmarshal number -2.0 into Go struct field Item.items[1].count of type int32',
    ],
  ])('%s is no integer', (text, message) => {
    expect(() => decode(text)).toThrow(message);
  });

  test('are read where they are no integers, and where others in strings look like them', () => {
    expect(decode('{"small":2,"text":"a:1.0,[2e5","small2":1.0}')).toMatchObject({ small: 2, text: 'a:1.0,[2e5' });
    expect(decode('{"small":1.0,"small":3}')).toMatchObject({ small: 3 });
    expect(decimalLiterals('{"a":1,"b":"x: 1.5","c":[-1,10]}')).toBeUndefined();
    expect(decimalLiterals('{"a":1.50,"b":["1.5",2E+3]}')).toEqual(
      new Map([
        ['a', '1.50'],
        ['b[1]', '2E+3'],
      ]),
    );
  });
});
