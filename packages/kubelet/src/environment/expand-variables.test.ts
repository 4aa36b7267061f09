import { expect, test } from 'vitest';
import { expandVariables } from './expand-variables.js';

const values: Readonly<Record<string, string>> = { A: 'a', B: '$(A)', EMPTY: '' };

test.each([
  ['nothing to do', 'nothing to do'],
  ['$(A)', 'a'],
  ['x-$(A)-$(A)-y', 'x-a-a-y'],
  ['$(B)', '$(A)'],
  ['[$(EMPTY)]', '[]'],
  ['$(MISSING)', '$(MISSING)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$a'],
  ['$$$$', '$$'],
  ['$A $', '$A $'],
  ['$(A', '$(A'],
  ['$()', '$()'],
])('%s becomes %s', (text, expanded) => {
  expect(expandVariables(text, (name) => values[name])).toBe(expanded);
});
