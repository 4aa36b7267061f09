import { describe, expect, test } from 'vitest';
// @ts-expect-error: a tool, in JavaScript
import { folderCycles } from '../../tools/folder-cycles.mjs';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly imported: string;
}

/** The circles as `a → b → a`. */
function cyclesOf(imports: Record<string, readonly string[]>): string[] {
  const found = folderCycles(new Map(Object.entries(imports))) as Edge[][];
  return found.map((cycle) => [...cycle, cycle[0]].map((edge) => edge?.from).join(' → '));
}

describe('folderCycles', () => {
  const cases: readonly [string, Record<string, readonly string[]>, readonly string[]][] = [
    ['one direction is none', { 'src/a/x.ts': ['src/b/y.ts'], 'src/b/y.ts': [] }, []],
    [
      'two folders, by different files',
      { 'src/a/x.ts': ['src/b/y.ts'], 'src/b/z.ts': ['src/a/w.ts'] },
      ['src/a → src/b → src/a'],
    ],
    [
      'three folders',
      { 'src/a/x.ts': ['src/b/x.ts'], 'src/b/y.ts': ['src/c/x.ts'], 'src/c/y.ts': ['src/a/y.ts'] },
      ['src/a → src/b → src/c → src/a'],
    ],
    [
      'files below a folder count for it',
      { 'src/a/p/x.ts': ['src/b/y.ts'], 'src/b/y.ts': ['src/a/q/z.ts'] },
      ['src/a → src/b → src/a'],
    ],
    [
      'folders further down',
      { 'src/a/p/x.ts': ['src/a/q/y.ts'], 'src/a/q/z.ts': ['src/a/p/w.ts'] },
      ['src/a/p → src/a/q → src/a/p'],
    ],
    [
      'files of the folder above belong to no side',
      { 'src/a/x.ts': ['src/shared.ts'], 'src/shared.ts': ['src/a/y.ts'] },
      [],
    ],
    ['a folder and its own subfolder', { 'src/a/x.ts': ['src/a/p/y.ts'], 'src/a/p/y.ts': ['src/a/z.ts'] }, []],
  ];
  test.each(cases)('%s', (_name, imports, expected) => {
    expect(cyclesOf(imports)).toEqual(expected);
  });

  test('each edge names an import that makes it', () => {
    const [cycle] = folderCycles(
      new Map([
        ['s/a/x.ts', ['s/b/y.ts']],
        ['s/b/z.ts', ['s/a/w.ts']],
      ]),
    ) as Edge[][];
    expect(cycle?.map(({ file, imported }) => [file, imported])).toEqual([
      ['s/a/x.ts', 's/b/y.ts'],
      ['s/b/z.ts', 's/a/w.ts'],
    ]);
  });
});
