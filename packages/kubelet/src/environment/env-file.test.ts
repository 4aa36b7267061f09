import { expect, test } from 'vitest';
import { parseEnvFile } from './env-file.js';

test.each([
  ['nothing', '', {}],
  ['declarations', "A='1'\nB='two words'\n", { A: '1', B: 'two words' }],
  ['one without a line end', "A='1'", { A: '1' }],
  ['blank lines, comments and blanks around names and values', "\n  # A='0'\n \t A = '1'  \n\n", { A: '1' }],
  ['values as they are', 'A=\'$X `y` \\n "z" #\'\n', { A: '$X `y` \\n "z" #' }],
  ['values of several lines', "A='1\n# 2\n'\nB=''\n", { A: '1\n# 2\n', B: '' }],
  ['the last of several', "A='1'\nA='2'\n", { A: '2' }],
])('an env file with %s', (_, text, variables) => {
  expect(Object.fromEntries(parseEnvFile(text))).toEqual(variables);
});

test.each(['A=1\n', 'A="1"\n', "A='1\n", "A='1' B='2'\n", "='1'\n", 'A\n'])('not an env file: %j', (text) => {
  expect(() => parseEnvFile(text)).toThrow("couldn't parse env file");
});
