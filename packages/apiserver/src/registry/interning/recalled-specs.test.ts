import { parseJson } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecalledSpecs } from './recalled-specs.js';

const spec = '{"a":[1,{"b":"}"}],"c":"\\u0073"}';

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const { value, duplicateFields } = parseJson(text);
    return isRecord(value) && duplicateFields.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Fragments for generated texts that are, or nearly are, objects with a spec at their end. */
const pieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  ' ',
  '1',
  '"kind":1',
  '"spec":',
  '"\\u0073pec":',
  '"m":{"n":1',
  spec,
];
const anything = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => `{"kind":1${parts.join('')}`);
const objects = fc.dictionary(fc.string(), fc.jsonValue()).map((object) => JSON.stringify(object).slice(0, -1));
const heads = fc.oneof(anything, objects);

test('if the rest can be read, the spec is the one field that it lacks', () => {
  const specs = new RecalledSpecs();
  specs.keep(`{"kind":1,"spec":${spec}}`, JSON.parse(spec));
  const check = (head: string) => {
    const text = `${head},"spec":${spec}}`;
    const found = specs.find(text);
    const rest = objectIn(found?.rest ?? '');
    if (!rest || Object.hasOwn(rest, 'spec') || Object.keys(rest).length === 0) return;
    expect(objectIn(text)).toEqual(Object.assign(objectIn(found?.rest ?? '') ?? {}, { spec: found?.spec }));
  };
  fc.assert(fc.property(heads, check), { numRuns: 3_000 });
});

test('the spec of an object is found again in its own text', () => {
  const check = (head: string, tail: string) => {
    const text = `${head},"spec":${spec}${tail}`;
    const object = objectIn(text);
    const specs = new RecalledSpecs();
    if (!object || !isRecord(object['spec']) || !specs.keep(text, object['spec'])) return;
    const found = specs.find(text);
    expect(Object.assign(objectIn(found?.rest ?? '') ?? {}, { spec: found?.spec })).toEqual(object);
    expect(specs.find(`{"kind":2,"spec":${spec}${tail}`)?.spec).toEqual(JSON.parse(spec));
  };
  const tails = fc.oneof(
    fc.constantFrom('}', '} ', '}\n'),
    anything.map((text) => `${text.slice('{"kind":1'.length)}}`),
  );
  fc.assert(fc.property(heads, tails, check), { numRuns: 3_000 });
});

test.each([
  ['the first field', `{"spec":${spec},"kind":1}`],
  ['not the last one', `{"kind":1,"spec":${spec},"status":{}}`],
  ['a part of another', `{"kind":1,"metadata":{"name":"a","spec":${spec}}}`],
])('a spec that is %s is not recalled', (_where, text) => {
  expect(new RecalledSpecs().keep(text, JSON.parse(spec))).toBe(false);
});

test('the ends of the last two kinds of texts are kept', () => {
  const specs = new RecalledSpecs();
  const texts = [1, 2, 3].map((n) => `{"kind":1,"spec":{"a":${n}}}`);
  for (const text of texts) specs.keep(text, JSON.parse(text).spec);
  expect(texts.map((text) => specs.find(text)?.spec)).toEqual([undefined, { a: 2 }, { a: 3 }]);
});
