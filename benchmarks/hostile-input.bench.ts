import { schemaOfKind } from '@coracle/api';
import { decodeOwnedObject, formatYaml, type ObjectSchema, parseJson, parseYaml } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';
import { deployment } from './fixtures/deployment.js';

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

const lines = (one: (i: number) => string) => filled((i) => `${one(i)}\n`);

/** The same in YAML, a megabyte each but for those that a few lines suffice for. */
const yamlBodies: Readonly<Record<string, string>> = {
  'small mappings': lines((i) => `k${i}: {a: [1, b, "c"]}`),
  'mappings in brackets': lines(() => '- {a: 1}'),
  'mappings of different shapes': lines((i) => `- {a${i}: 1}`),
  'keys of one mapping': lines((i) => `key${i}: v`),
  'a list in brackets': `[x, ${filled(() => 'a,')}]`,
  'lists in a list': `[x, ${filled(() => '[],')}]`,
  'dash lines': lines(() => '- a'),
  'empty dash lines': lines(() => '-'),
  'lists nested 200 times': lines(() => `- ${'['.repeat(200)}${']'.repeat(200)}`),
  'a million brackets': filled(() => '['),
  'a staircase': Array.from({ length: 1_400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  'a long word': `a: ${filled(() => 'x')}`,
  'long text of escapes': `a: "${filled(() => '\\u0041')}"`,
  'folded text': `a: ${filled(() => 'x\n ')}`,
  'a literal block': `a: |\n${lines(() => ' x')}`,
  documents: lines(() => '---'),
  'documents that say something': lines(() => '--- a'),
  comments: `a: 1\n${lines(() => '#')}`,
  tabs: `a:${filled(() => '\t')}b`,
  'one key again and again': lines(() => 'a: 1'),
  anchors: lines((i) => `- &a${i} x`),
  aliases: `- &a {b: c}\n${lines(() => '- *a')}`,
  'aliases of a long list': `- &a [${'x, '.repeat(50)}]\n${lines(() => '- *a')}`,
  'an alias bomb': lines((i) => `a${i}: &a${i} [${`*a${Math.max(i - 1, 0)},`.repeat(9)}]`).replace('*a0,', 'x,'),
  merges: `- &a {b: c, d: e}\n${lines(() => '- <<: *a')}`,
  numbers: lines(() => '- 0x1F'),
};

describe('hostile YAML (goal: under 100 ms per MB)', () => {
  for (const [name, text] of Object.entries(yamlBodies))
    bench(`${name}, ${(text.length / 1e6).toFixed(1)} MB`, () => settled(() => parseYaml(text)));
});

describe('a manifest of 3 kB in YAML', () => {
  const manifest = formatYaml(deployment());
  bench('parse', () => void parseYaml(manifest));
});

/** A megabyte of a thing and another, and another. */
function filled(one: (i: number) => string): string {
  const parts: string[] = [];
  for (let i = 0, length = 0; length < 1_000_000; i++) length += parts[parts.push(one(i)) - 1]?.length ?? 0;
  return parts.join('');
}

function decode(bytes: Uint8Array): unknown {
  return decodeOwnedObject(parseJson(bytes).value, schema);
}

/** Some of these are refused, which must be as quick. */
function settled(run: () => unknown): void {
  try {
    run();
  } catch {}
}
