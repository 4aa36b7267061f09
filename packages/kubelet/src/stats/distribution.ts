import { formatSampleValue } from '@coracle/base';
import type { MetricSample } from './exposition.js';

/** The bounds that Prometheus clients use unless others are given, in seconds. */
export const defaultBounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A histogram that takes no memory for buckets before the first value. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** How many fell into each bucket alone; the last is for what is larger than all bounds. */
  #counts: number[] | undefined;
  #sum = 0;

  constructor(bounds: readonly number[] = defaultBounds) {
    this.#bounds = bounds;
  }

  observe(value: number): void {
    this.#counts ??= new Array<number>(this.#bounds.length + 1).fill(0);
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? this.#bounds.length : found;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** None before the first value. */
  samples(labels: Readonly<Record<string, string>> = {}): MetricSample[] {
    if (!this.#counts) return [];
    let total = 0;
    const buckets = this.#counts.map((count, bucket): MetricSample => {
      total += count;
      const le = formatSampleValue(this.#bounds[bucket] ?? Number.POSITIVE_INFINITY);
      return { part: 'bucket', labels: { ...labels, le }, value: total };
    });
    return [...buckets, { part: 'sum', labels, value: this.#sum }, { part: 'count', labels, value: total }];
  }
}
