import {
  type AnySchema,
  decodeProto,
  encodeProto,
  type FieldSchema,
  int64,
  type ObjectSchema,
  readJson,
  type ScalarType,
  type Schema,
} from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allDefinitions, schemaOf } from './schemas.js';

/** The only type that is served and has no message: `/version` is served as JSON alone. */
const withoutMessage = ['meta-v1/Info'];

describe('protobuf', () => {
  const definitions = allDefinitions();
  const described = definitions.filter((name) => !withoutMessage.includes(name));

  it(`brings back every object of ${described.length} of ${definitions.length} definitions (one has no message)`, () => {
    for (const name of described) {
      const schema = schemaOf(name);
      fc.assert(
        fc.property(canonical(schema, 3), (object) => {
          expect(decodeProto(encodeProto(object, schema), schema), name).toEqual(object);
        }),
        { numRuns: 6, seed: 7 },
      );
    }
  });

  it('has a number for every field but the apiVersion and kind of kinds', () => {
    const unnumbered = described.flatMap((name) => {
      const schema = schemaOf(name);
      const fields = schema.type === 'object' ? [...schema.fields.values()] : [];
      return fields.filter(({ proto }) => !proto).map((field) => `${name}.${field.name}`);
    });
    expect(unnumbered.filter((field) => !/\.(apiVersion|kind)$/.test(field))).toEqual([]);
  });

  it('writes every field of a pod that has all of them', () => {
    const schema = schemaOf('core-v1/Pod');
    const [pod] = fc.sample(complete(schema, 7), { numRuns: 1, seed: 7 });
    expect(decodeProto(encodeProto(pod, schema), schema)).toEqual(pod);
  });
});

/** Objects in their canonical form, some of their fields set, down to the given depth. */
function canonical(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, depth, false);
    case 'list':
      return fc.array(canonical(schema.items, depth - 1), { minLength: 1, maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.string({ unit: 'binary' }), canonical(schema.values, depth - 1), {
        minKeys: 1,
        maxKeys: 2,
      });
    case 'any':
      return anyOf(schema, depth);
    default:
      return scalars[schema.type];
  }
}

function complete(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.type === 'object') return objectOf(schema, depth, true);
  if (schema.type === 'list') return fc.array(complete(schema.items, depth - 1), { minLength: 1, maxLength: 1 });
  return canonical(schema, depth);
}

function objectOf(schema: ObjectSchema, depth: number, isComplete: boolean): fc.Arbitrary<unknown> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  const always: string[] = [];
  for (const field of schema.fields.values()) {
    if (!field.proto) continue;
    if (field.presence === 'always' || field.presence === 'null') always.push(field.name);
    else if (depth <= 0) continue;
    fields[field.name] = fieldOf(field, depth, isComplete);
  }
  return fc.record(fields, isComplete ? {} : { requiredKeys: always }).map((object) => ({ ...object }));
}

function fieldOf({ schema, presence }: FieldSchema, depth: number, isComplete: boolean): fc.Arbitrary<unknown> {
  const isNullable =
    schema.type === 'list' || schema.type === 'map' || schema.type === 'any' || nullWhenEmpty.has(schema.type);
  if (depth <= 0 && (presence === 'null' || isNullable)) return fc.constant(null);
  const value = isComplete ? complete(schema, depth - 1) : canonical(schema, depth - 1);
  if (presence === 'null' || (presence === 'always' && isNullable))
    return isComplete ? value : fc.oneof(value, fc.constant(null));
  return presence === 'nonzero' ? value.filter((one) => !emptyValues.includes(one)) : value;
}

const nullWhenEmpty = new Set<string>(['time', 'microTime', 'bytes']);
const emptyValues: unknown[] = ['', 0, false];

const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
const recentMicros = fc.integer({ min: 0, max: 4_000_000_000_000_000 });

const scalars: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: fc.string({ unit: 'binary', maxLength: 12 }),
  boolean: fc.boolean(),
  int32: fc.integer(),
  int64: fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64)),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => btoa(String.fromCharCode(...bytes))),
  time: seconds.map((at) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`),
  microTime: recentMicros.map(
    (at) => `${new Date(Math.floor(at / 1000)).toISOString().slice(0, 23)}${String(at % 1000).padStart(3, '0')}Z`,
  ),
  duration: fc.constant('1h30m0s'),
  quantity: fc.constantFrom('0', '1', '100m', '1Gi', '-5', '1500M'),
  intOrString: fc.oneof(fc.integer(), fc.string({ unit: 'binary' })),
};

function anyOf({ union }: AnySchema, depth: number): fc.Arbitrary<unknown> {
  if (!union)
    return fc
      .jsonValue({ maxDepth: 2 })
      .map(throughJson)
      .filter((value) => value !== null);
  return fc.oneof(...Object.values(union).map((field) => canonical(field.schema, depth - 1)));
}

/** JSON has no negative zero. */
function throughJson(value: unknown): unknown {
  return readJson(JSON.stringify(value));
}
