import { writeJson } from '@coracle/apimachinery';
/** What changed between two values: the difference of their JSON. */
export function jsonDiff(before: unknown, after: unknown): string {
  return unifiedDiff(writeJson(before, 1), writeJson(after, 1));
}

/**
 * The difference of two texts, as messages show it: hunks with three lines around each change, without file headers.
 *
 * Upstream finds what two texts have in common as Python's `difflib` does (longest common run first, then left and
 * right of it; lines that are very frequent do not begin a run), and other ways give other hunks, so that this does the same.
 */
export function unifiedDiff(before: string, after: string): string {
  const a = splitLines(before);
  const b = splitLines(after);
  return groupChanges(findChanges(a, b))
    .map((group) => formatHunk(group, a, b))
    .join('');
}

const contextLines = 3;

/** Lines with their ends; the last one gets one too. */
function splitLines(text: string): string[] {
  return text.split('\n').map((line) => `${line}\n`);
}

/** `a[fromA..toA]` changes to `b[fromB..toB]`. */
interface Change {
  readonly equal: boolean;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Range {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

function findChanges(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let atA = 0;
  let atB = 0;
  for (const match of [...findMatches(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (atA < match.a || atB < match.b) {
      changes.push({ equal: false, fromA: atA, toA: match.a, fromB: atB, toB: match.b });
    }
    atA = match.a + match.size;
    atB = match.b + match.size;
    if (match.size > 0) changes.push({ equal: true, fromA: match.a, toA: atA, fromB: match.b, toB: atB });
  }
  return changes;
}

/** Runs of lines that both have, in order; neighbouring runs are one. */
function findMatches(a: readonly string[], b: readonly string[]): Match[] {
  const positions = positionsOf(b);
  const found: Match[] = [];
  const find = (range: Range): void => {
    const match = longestMatch(a, b, { range, positions });
    if (match.size === 0) return;
    find({ ...range, toA: match.a, toB: match.b });
    found.push(match);
    find({ ...range, fromA: match.a + match.size, fromB: match.b + match.size });
  };
  find({ fromA: 0, toA: a.length, fromB: 0, toB: b.length });
  return joinAdjacent(found);
}

function joinAdjacent(matches: readonly Match[]): Match[] {
  const joined: Match[] = [];
  for (const match of matches) {
    const last = joined.at(-1);
    if (last && last.a + last.size === match.a && last.b + last.size === match.b) {
      joined[joined.length - 1] = { ...last, size: last.size + match.size };
    } else joined.push(match);
  }
  return joined;
}

type Positions = ReadonlyMap<string, readonly number[]>;

/** The positions of each line; in long texts, lines that make up more than a hundredth are left out. */
function positionsOf(lines: readonly string[]): Positions {
  const positions = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const entry = positions.get(line);
    if (entry) entry.push(index);
    else positions.set(line, [index]);
  }
  if (lines.length < 200) return positions;
  const most = Math.floor(lines.length / 100) + 1;
  return new Map([...positions].filter(([, indexes]) => indexes.length <= most));
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  { range, positions }: { readonly range: Range; readonly positions: Positions },
): Match {
  let best: Match = { a: range.fromA, b: range.fromB, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = range.fromA; i < range.toA; i++) {
    const next = new Map<number, number>();
    for (const j of positions.get(a[i] ?? '') ?? []) {
      if (j < range.fromB) continue;
      if (j >= range.toB) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return extend(best, a, b, range);
}

/** Takes in equal lines on both sides, the frequent ones among them. */
function extend(match: Match, a: readonly string[], b: readonly string[], range: Range): Match {
  let { a: startA, b: startB, size } = match;
  while (startA > range.fromA && startB > range.fromB && a[startA - 1] === b[startB - 1]) {
    startA--;
    startB--;
    size++;
  }
  while (startA + size < range.toA && startB + size < range.toB && a[startA + size] === b[startB + size]) size++;
  return { a: startA, b: startB, size };
}

/** Changes that are near each other, with a few equal lines around them. */
function groupChanges(changes: readonly Change[]): Change[][] {
  const trimmed = changes.map((change, index) => {
    if (!change.equal) return change;
    const first = index === 0 ? tail(change) : change;
    return index === changes.length - 1 ? head(first) : first;
  });
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const change of trimmed) {
    if (change.equal && change.toA - change.fromA > 2 * contextLines) {
      group.push(head(change));
      groups.push(group);
      group = [];
      group.push(tail(change));
    } else group.push(change);
  }
  groups.push(group);
  return groups.filter((one) => one.some(({ equal }) => !equal));
}

function head(change: Change): Change {
  const lines = Math.min(contextLines, change.toA - change.fromA);
  return { ...change, toA: change.fromA + lines, toB: change.fromB + lines };
}

function tail(change: Change): Change {
  const lines = Math.min(contextLines, change.toA - change.fromA);
  return { ...change, fromA: change.toA - lines, fromB: change.toB - lines };
}

function formatHunk(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = group[0];
  const last = group.at(-1);
  if (!first || !last) return '';
  const lines = group.flatMap(({ equal, fromA, toA, fromB, toB }) =>
    equal
      ? a.slice(fromA, toA).map((line) => ` ${line}`)
      : [...a.slice(fromA, toA).map((line) => `-${line}`), ...b.slice(fromB, toB).map((line) => `+${line}`)],
  );
  return `@@ -${formatRange(first.fromA, last.toA)} +${formatRange(first.fromB, last.toB)} @@\n${lines.join('')}`;
}

function formatRange(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return `${from + 1}`;
  return `${count === 0 ? from : from + 1},${count}`;
}
