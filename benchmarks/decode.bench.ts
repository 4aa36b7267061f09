import { rulesOf, schemaOfKind } from '@coracle/api';
import {
  decodeObject,
  decodeOwnedObject,
  type ObjectSchema,
  parseJson,
  readJson,
  writeJson,
} from '@coracle/apimachinery';
import { bench, describe } from 'vitest';
import { newPod } from './fixtures/pods.js';

const text = JSON.stringify(newPod);
const bytes = new TextEncoder().encode(text);
const encoder = new TextEncoder();
const withInt64 = text.replace('{', `{"large":${2n ** 63n - 1n},`);
const kind = { group: '', version: 'v1', kind: 'Pod' };
const schema = schemaOfKind(kind) as ObjectSchema;
const rules = rulesOf<object>(kind);

const decode = () => decodeOwnedObject(parseJson(bytes).value, schema).object;

/** All that a create does with the text of a pod but storing it. */
function bringThrough(): Uint8Array {
  const object = decode();
  rules.setDefaults?.(object);
  const errors = rules.validate?.(object) ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ field, body }) => `${field}: ${body}`).join());
  return encoder.encode(writeJson(object));
}

describe(`a pod of ${bytes.length} bytes`, () => {
  // Much code takes part, so it is warm only after a while.
  bench('decode, default, validate and encode (goal: under 60 µs)', () => void bringThrough(), {
    warmupTime: 3_000,
    time: 2_000,
  });
  bench('JSON.parse and JSON.stringify alone, to compare', () => void JSON.stringify(JSON.parse(text)));
  bench('readJson and writeJson, which keep every int64', () => void writeJson(readJson(text)));
  bench('the same with one of 2^63-1', () => void writeJson(readJson(withInt64)));
  bench('parseJson, duplicates included', () => void parseJson(bytes));
  bench('decodeObject, which copies', () => void decodeObject(newPod, schema));
  bench('parse and decode', () => void decode());
});
