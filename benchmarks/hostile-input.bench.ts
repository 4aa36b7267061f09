import { schemaOfKind } from '@coracle/api';
import { decodeOwnedObject, type ObjectSchema, parseJson, parseYaml } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';

const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' }) as ObjectSchema;
const many = (count: number, one: (i: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join();

/** Bodies that are made to be slow, about a megabyte each. */
const bodies: Readonly<Record<string, string>> = {
  '100,000 keys': `{"data":{${many(100_000, (i) => `"k${i}":"v"`)}}}`,
  '100,000 unknown fields': `{${many(100_000, (i) => `"u${i}":1`)}}`,
  '100,000 nulls': `{"data":{${many(100_000, (i) => `"k${i}":null`)}}}`,
  'one key 100,000 times': `{${many(100_000, () => '"key":"v"')}}`,
  'a duplicate at the very end': `{"a":1,${many(100_000, (i) => `"k${i}":1`)},"a":2}`,
  '100,000 objects of different shapes': `{"items":[${many(100_000, (i) => `{"a${i}":1}`)}]}`,
  'a million brackets': `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
  'a string of 1 MB': `{"kind":"${'x'.repeat(1_000_000)}"}`,
  'a string of 1 MB of escapes': `{"kind":"${'\\ud83d\\ude00'.repeat(83_000)}"}`,
};

describe('hostile JSON (goal: under 100 ms per MB)', () => {
  for (const [name, text] of Object.entries(bodies)) {
    const bytes = new TextEncoder().encode(text);
    bench(`${name}, ${(bytes.length / 1e6).toFixed(1)} MB`, () => settled(() => decode(bytes)));
  }
});

/** YAML that is not JSON takes a slower parser, so less of it is taken. */
describe('hostile YAML at the limit of its size', () => {
  const text = many(4_000, (i) => `k${i}: {a: [1, b, "c"]}`).replaceAll(',k', '\nk');
  bench(`${(text.length / 1e6).toFixed(2)} MB of small mappings`, () => settled(() => parseYaml(text)));
});

function decode(bytes: Uint8Array): unknown {
  return decodeOwnedObject(parseJson(bytes).value, schema);
}

/** Some of these are refused, which must be as quick. */
function settled(run: () => unknown): void {
  try {
    run();
  } catch {}
}
