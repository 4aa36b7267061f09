import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.js';

const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
const text = (...lines: string[]) => lines.join('\n');

const cases = [
  { name: 'equal texts have no difference', before: text('a', 'b'), after: text('a', 'b'), diff: '' },
  {
    name: 'a changed line stands between three lines before and after',
    before: text(...numbered(1, 4), 'old', ...numbered(6, 9)),
    after: text(...numbered(1, 4), 'new', ...numbered(6, 9)),
    diff: '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-old\n+new\n 6\n 7\n 8\n',
  },
  {
    name: 'changes that are far apart have hunks of their own',
    before: text('a', ...numbered(1, 7), 'b'),
    after: text('A', ...numbered(1, 7), 'B'),
    diff: '@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n',
  },
  {
    name: 'an added line at the start',
    before: text('a'),
    after: text('new', 'a'),
    diff: '@@ -1 +1,2 @@\n+new\n a\n',
  },
];

describe('unifiedDiff', () => {
  it.each(cases)('$name', ({ before, after, diff }) => {
    expect(unifiedDiff(before, after)).toBe(diff);
  });
});
