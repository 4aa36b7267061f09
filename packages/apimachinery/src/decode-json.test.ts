import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './decode-json.js';
import { strictDecodingError } from './decode-object.js';
import { reasonOf } from './status-error.js';
import { writeJson } from './write-json.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('parseJson', () => {
  const duplicates = [
    { name: 'finds none in an empty object', text: '{}', found: [] },
    { name: 'finds none where keys repeat in different objects', text: '[{"a":1},{"a":2}]', found: [] },
    { name: 'finds one at the top', text: '{"a":1,"a":2}', found: ['a'] },
    {
      name: 'gives the full path',
      text: '{"metadata":{"labels":{"a":"1","b":"2","a":"3"}}}',
      found: ['metadata.labels.a'],
    },
    { name: 'gives list indexes', text: '{"l":[[1,2],{"x":[],"x":{}}]}', found: ['l[1].x'] },
    { name: 'names a key once however often it is there', text: '{"a":1,"a":2,"a":3}', found: ['a'] },
    { name: 'sees through escapes', text: '{"a":1,"\\u0061":2}', found: ['a'] },
    { name: 'is not fooled by colons and braces in strings', text: '{"a":"b:{\\"c:","d":[":"]}', found: [] },
    { name: 'finds __proto__ like any other', text: '{"__proto__":1,"__proto__":2}', found: ['__proto__'] },
  ];

  test.each(duplicates)('$name', ({ text, found }) => {
    expect(parseJson(bytes(text)).duplicateFields).toEqual(found);
  });

  test('uses the last of two values', () => {
    expect(parseJson('{"a":1,"a":2}').value).toEqual({ a: 2 });
  });

  const broken = [
    { name: 'an empty body', input: '' },
    { name: 'a cut text', input: '{"a":' },
    { name: 'two values', input: '{} {}' },
    { name: 'half a surrogate pair', input: '{"a":"\\ud800"}' },
    { name: 'the second half of a pair', input: '"\\udc00"' },
    { name: 'two first halves', input: '"\\ud800\\ud800"' },
    { name: 'a raw half of a pair', input: '"\ud800"' },
    { name: '1,001 nested arrays', input: '['.repeat(1_001) + ']'.repeat(1_001) },
    { name: 'invalid UTF-8', input: new Uint8Array([0x22, 0xc3, 0x28, 0x22]) },
  ];

  test.each(broken)('refuses $name', ({ input }) => {
    expect(refusal(() => parseJson(input))).toBe('BadRequest');
  });

  test('accepts escapes that only look like half a surrogate pair', () => {
    expect(parseJson('"\\\\ud800 \\ud83d\\ude00"').value).toBe('\\ud800 😀');
  });

  test('rejects input beyond the limit', () => {
    expect(refusal(() => parseJson('"12345678"', { maxBytes: 9 }))).toBe('RequestEntityTooLarge');
  });

  test('parses all output of JSON.stringify, and finds no duplicates in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const { value: read, duplicateFields } = parseJson(bytes(text));
        expect({ text: writeJson(read), duplicateFields }).toEqual({ text, duplicateFields: [] });
      }),
    );
  });
});

function refusal(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}

describe('the order of strict decoding errors', () => {
  const errorOf = (text: string, unknownFields: string[]) => strictDecodingError({ ...parseJson(text), unknownFields });

  test.each([
    ['{"a":1,"b":2,"a":3}', ['b'], 'unknown field "b", duplicate field "a"'],
    ['{"a":1,"a":3,"b":2}', ['b'], 'duplicate field "a", unknown field "b"'],
    [
      '{"x":{"u":1,"d":1,"d":2},"y":[{"d":1,"v":1,"d":2}]}',
      ['y[0].v', 'x.u'],
      'unknown field "x.u", duplicate field "x.d", unknown field "y[0].v", duplicate field "y[0].d"',
    ],
    ['{"u":{"d":1,"d":2},"u":3}', ['u'], 'unknown field "u"'],
  ])('of %s is that of the document', (text, unknown, message) => {
    expect(errorOf(text, unknown)).toBe(`strict decoding error: ${message}`);
  });
});
