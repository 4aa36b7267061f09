import { expect, test } from 'vitest';
import { outputBefore } from './nft-session.js';

const mark = 'coracle-done-7';
const seen = `Error: syntax error, unexpected newline, expecting string\n${mark}\n              ^`;
const failed =
  'In file included from <cmdline>:1:1-25:\n/tmp/x/transaction:2:33-56: Error: Could not process rule: No such file or directory\ndelete element …\n       ^^^^^\n';

test.each([
  ['nothing yet', '\n', undefined],
  ['half of it', `\n${seen.slice(0, -3)}`, undefined],
  ['applied', `\n${seen}`, ''],
  ['applied, after the rest of the line before', `\n\n${seen}\n`, ''],
  ['another marker', `\n${seen.replace('7', '70')}`, undefined],
  ['an error', `\n${failed}${seen}\n`, failed.trim()],
])('the output of an interactive nft for a transaction: %s', (_name, output, expected) => {
  expect(outputBefore(output, mark)).toBe(expected);
});
