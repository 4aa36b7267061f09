import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSyntaxError } from './json-syntax-error.js';

test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"a\u0001b"', "invalid character '\\x01' in string literal"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ['😀', "invalid character 'ð' looking for beginning of value"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['-', 'unexpected end of JSON input'],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
])('%j is no JSON', (text, problem) => {
  expect(jsonSyntaxError(text)).toBe(problem);
});

test('finds fault with a text exactly where the parser of the platform does', () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const nearly = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', '{', ']', ',', '"', '\\', '1', 'e', ' '))
    .map(
      ([text, at, piece]) => text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(fc.property(nearly, (text) => (jsonSyntaxError(text) === undefined) === parses(text)));
});
