import { type IndexInterval, parseIndexes } from '@coracle/api';

/** Which indexes of an indexed job are done. Written as `1,3-5,7`. */
export class IndexSet {
  static readonly empty = new IndexSet(new Set());
  readonly #indexes: ReadonlySet<number>;

  private constructor(indexes: ReadonlySet<number>) {
    this.#indexes = indexes;
  }

  /** What is not below `completions` is left out: the number of an elastic job may have shrunk. */
  static parse(text: string | undefined, completions: number): IndexSet {
    const intervals = parseIndexes(text ?? '', Number.MAX_SAFE_INTEGER);
    if (typeof intervals === 'string') return IndexSet.empty;
    const indexes = new Set<number>();
    for (const { first, last } of intervals)
      for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index);
    return new IndexSet(indexes);
  }

  get size(): number {
    return this.#indexes.size;
  }

  has(index: number): boolean {
    return this.#indexes.has(index);
  }

  /** How many of these are in the other. */
  countIn(other: IndexSet): number {
    return [...this.#indexes].filter((index) => other.has(index)).length;
  }

  with(more: Iterable<number>): IndexSet {
    return new IndexSet(new Set([...this.#indexes, ...more]));
  }

  /** Two neighbours are named one by one or as an interval alike: `1,2` is written `1,2`, three are `1-3`. */
  toString(): string {
    const intervals: IndexInterval[] = [];
    for (const index of [...this.#indexes].sort((a, b) => a - b)) {
      const before = intervals.at(-1);
      if (before?.last === index - 1) intervals[intervals.length - 1] = { first: before.first, last: index };
      else intervals.push({ first: index, last: index });
    }
    return intervals.map(formatInterval).join(',');
  }
}

function formatInterval({ first, last }: IndexInterval): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}
