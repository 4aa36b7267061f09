const contextLines = 3;

/** One line of a comparison: kept, taken away or added. */
interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * What changed between two values, as messages show it: the lines of their JSON, each group of changes with three
 * lines around it under a header such as `@@ -3,7 +3,7 @@`.
 */
export function jsonDiff(before: unknown, after: unknown): string {
  const lines = compareLines(jsonLines(before), jsonLines(after));
  return groupsOf(lines)
    .map(([start, end]) => formatGroup(lines, start, end))
    .join('');
}

function jsonLines(value: unknown): string[] {
  return JSON.stringify(value, undefined, 1).split('\n');
}

/** Walks the table of longest common parts; what is taken away comes before what is added. */
function compareLines(before: readonly string[], after: readonly string[]): Line[] {
  const common = commonLengths(before, after);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i] ?? '' });
      i++;
      j++;
    } else if (i < before.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ sign: '-', text: before[i++] ?? '' });
    } else if (j < after.length) lines.push({ sign: '+', text: after[j++] ?? '' });
    else lines.push({ sign: '-', text: before[i++] ?? '' });
  }
  return lines;
}

function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i] as number[];
      const next = table[i + 1] as number[];
      row[j] = before[i] === after[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

/** The ranges of lines to show: changes with their context, joined where they touch. */
function groupsOf(lines: readonly Line[]): [number, number][] {
  const groups: [number, number][] = [];
  for (const [index, line] of lines.entries()) {
    if (line.sign === ' ') continue;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(lines.length, index + contextLines + 1);
    const last = groups.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else groups.push([start, end]);
  }
  return groups;
}

function formatGroup(lines: readonly Line[], start: number, end: number): string {
  const shown = lines.slice(start, end);
  const count = (part: readonly Line[], without: '-' | '+') => part.filter(({ sign }) => sign !== without).length;
  const before = `${count(lines.slice(0, start), '+') + 1},${count(shown, '+')}`;
  const after = `${count(lines.slice(0, start), '-') + 1},${count(shown, '-')}`;
  return `@@ -${before} +${after} @@\n${shown.map(({ sign, text }) => `${sign}${text}\n`).join('')}`;
}
