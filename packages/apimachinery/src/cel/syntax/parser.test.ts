import { expect, test } from 'vitest';
import { CelError } from '../cel-error.js';
import { parseExpression } from './parser.js';

/** The first line of each error, and the places that are marked. */
function problems(text: string): readonly string[] {
  try {
    parseExpression(text);
    return [];
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return error.message.split('\n').filter((line) => !line.startsWith(' | ') || /^ \| [.．]*[\^＾]$/.test(line));
  }
}

const starts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

test.each([
  ['has(self.a', ["ERROR: <input>:1:11: Syntax error: missing ')' at '<EOF>'", ' | ..........^']],
  ['[size(i', ["ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting ')'", ' | .......^']],
  ['size(i b)', ["ERROR: <input>:1:8: Syntax error: extraneous input 'b' expecting ')'", ' | .......^']],
  ['a.', ["ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'", ' | ..^']],
  ['a. .b', ["ERROR: <input>:1:4: Syntax error: no viable alternative at input '. .'", ' | ...^']],
  [
    'a.in]',
    [
      "ERROR: <input>:1:3: Syntax error: no viable alternative at input '.in'",
      ' | ..^',
      `ERROR: <input>:1:5: Syntax error: mismatched input ']' expecting ${starts}`,
      ' | ....^',
    ],
  ],
  [
    'A{',
    [
      "ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
      ' | ..^',
    ],
  ],
  [
    'a.Ünï',
    [
      "ERROR: <input>:1:3: Syntax error: token recognition error at: 'Ü'",
      ' | ..＾',
      "ERROR: <input>:1:5: Syntax error: token recognition error at: 'ï'",
      ' | ..．.＾',
    ],
  ],
])('%s', (text, expected) => {
  expect(problems(text)).toEqual(expected);
});
