export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

/** Lines beyond this many are compared from both ends only: the table of the exact way would be too large. */
const exactLines = 3_000;
const around = 3;

/** The changes of a text, line by line, with a few lines around each change. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = changed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): DiffLine => ({ change: 'same', text });
  return shortened([...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]);
}

function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > exactLines * exactLines)
    return [
      ...a.map((text): DiffLine => ({ change: 'removed', text })),
      ...b.map((text): DiffLine => ({ change: 'added', text })),
    ];
  const common = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ change: 'same', text: a[i++] as string });
      j++;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1)))
      lines.push({ change: 'removed', text: a[i++] as string });
    else lines.push({ change: 'added', text: b[j++] as string });
  }
  return lines;
}

/** How many lines the rests of both texts have in common, by where they begin. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = rows[i] as Uint16Array;
      row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  return rows;
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

function shortened(lines: readonly DiffLine[]): DiffLine[] {
  const near = (index: number) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ change }) => change !== 'same');
  const result: DiffLine[] = [];
  lines.forEach((line, index) => {
    if (near(index)) result.push(line);
    else if (result.at(-1)?.change !== 'skipped') result.push({ change: 'skipped', text: '…' });
  });
  return result;
}
