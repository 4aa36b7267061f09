/** Indexes of an indexed job as text: `1,3-5,7`. */
export interface CountedIndexes {
  readonly count: number;
  /** The error in the text; the count is then invalid. */
  readonly problem?: string;
}

export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** How many indexes the text stands for. They must be below `completions`, ascending, and each be named once. */
export function countIndexes(text: string, completions: number): CountedIndexes {
  const parsed = parseIndexes(text, completions);
  if (typeof parsed === 'string') return { count: 0, problem: parsed };
  return { count: parsed.reduce((sum, { first, last }) => sum + last - first + 1, 0) };
}

/** The intervals that the text stands for, or what is wrong with it. */
export function parseIndexes(text: string, completions: number): IndexInterval[] | string {
  if (text === '') return [];
  const intervals: IndexInterval[] = [];
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const before = intervals.at(-1);
    if (before && before.last >= interval.first) {
      return `non-increasing order, previous: ${before.last}, current: ${interval.first}`;
    }
    intervals.push(interval);
  }
  return intervals;
}

function parseInterval(text: string, completions: number): IndexInterval | string {
  const bounds = text.split('-');
  if (bounds.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const [firstText = '', lastText = firstText] = bounds;
  const first = parseIndex(firstText, completions);
  if (typeof first === 'string') return first;
  const last = parseIndex(lastText, completions);
  if (typeof last === 'string') return last;
  if (bounds.length === 2 && first >= last) {
    return `non-increasing order, previous: ${first}, current: ${last}`;
  }
  return { first, last };
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^[+-]?\d+$/.test(text)) {
    return `cannot convert string to integer for index: ${JSON.stringify(text)}`;
  }
  const index = Number(text);
  return index >= completions ? `too large index: ${JSON.stringify(text)}` : index;
}
