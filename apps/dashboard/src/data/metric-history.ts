import { type MetricSample, type MetricSeries, withSample } from '../model/metric-series.js';

/** Maximum number of objects: more than a user views in half an hour. */
const mostSeries = 200;

/** Metrics since the page was opened. The API has no history of metrics, so pages find it here. */
export class MetricHistory {
  readonly #series = new Map<string, MetricSeries>();

  of(key: string): MetricSeries {
    return this.#series.get(key) ?? [];
  }

  add(key: string, sample: MetricSample): MetricSeries {
    const series = withSample(this.of(key), sample);
    // Those that were written last are at the end, and those at the beginning go first.
    this.#series.delete(key);
    this.#series.set(key, series);
    for (const oldest of this.#series.keys()) {
      if (this.#series.size <= mostSeries) break;
      this.#series.delete(oldest);
    }
    return series;
  }
}
