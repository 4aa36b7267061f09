import { type IndexInterval, parseIndexes } from '@coracle/api';

/** The completed or failed indexes of an indexed job. Written as `1,3-5,7`. */
export class IndexSet {
  static readonly empty = new IndexSet(new Set());
  readonly #indexes: ReadonlySet<number>;

  private constructor(indexes: ReadonlySet<number>) {
    this.#indexes = indexes;
  }

  /** Indexes of at least `completions` are dropped: the number of an elastic job may have decreased. */
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

  /** Size of the intersection. */
  countIn(other: IndexSet): number {
    return [...this.#indexes].filter((index) => other.has(index)).length;
  }

  with(more: Iterable<number>): IndexSet {
    return new IndexSet(new Set([...this.#indexes, ...more]));
  }

  /** Two neighbours are written one by one, three as an interval: `1,2`, `1-3`. */
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
