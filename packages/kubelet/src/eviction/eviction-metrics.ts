import type { Metrics, Millis } from '@coracle/base';

/** Metrics for dashboards of kubelets. */
export class EvictionMetrics {
  readonly #evictions;
  readonly #statsAge;

  constructor(metrics: Metrics) {
    const labels = ['eviction_signal'];
    this.#evictions = metrics.counter({
      name: 'kubelet_evictions',
      help: 'Cumulative number of pod evictions by eviction signal',
      labels,
    });
    this.#statsAge = metrics.histogram({
      name: 'kubelet_eviction_stats_age_seconds',
      help: 'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
      labels,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  evicted(signal: string): void {
    this.#evictions.add(1, { eviction_signal: signal });
  }

  /** Records the age of the measurement on which a decision was based. */
  decided(signal: string, ageMs: Millis): void {
    this.#statsAge.observe(ageMs / 1_000, { eviction_signal: signal });
  }
}
