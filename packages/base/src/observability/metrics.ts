export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  add(value: number, labels?: MetricLabels): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
  add(value: number, labels?: MetricLabels): void;
}

export interface Histogram {
  /** Observes the value once, or several times. */
  observe(value: number, labels?: MetricLabels, times?: number): void;
}

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Creates metrics. Called twice with one name, it returns the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
}

const nothing = Object.freeze({ add() {}, set() {}, observe() {} });

export const noMetrics: Metrics = Object.freeze({
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
});
