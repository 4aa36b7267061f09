import type { Histogram, Metrics, Millis } from '@coracle/base';
import type { SlicesPlan } from '../endpointslice/plan-slices.js';
import { perSync, SliceMetrics } from '../endpointslice/slice-metrics.js';

const subsystem = 'endpoint_slice_mirroring_controller';
const durations = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Metrics of slices, and of mirrored and skipped addresses. */
export class MirroringMetrics extends SliceMetrics {
  readonly #updated: Histogram;
  readonly #skipped: Histogram;
  readonly #took: Histogram;

  constructor(metrics: Metrics) {
    super(metrics, subsystem);
    const histogram = (name: string, help: string, buckets: readonly number[]) =>
      metrics.histogram({ name: `${subsystem}_${name}`, help, buckets });
    this.#updated = histogram(
      'endpoints_updated_per_sync',
      'Number of endpoints updated on each Endpoints sync',
      perSync,
    );
    this.#skipped = histogram(
      'addresses_skipped_per_sync',
      'Number of addresses skipped on each Endpoints sync due to being invalid or exceeding MaxEndpointsPerSubset',
      perSync,
    );
    this.#took = histogram('endpoints_sync_duration', 'Duration of syncEndpoints() in seconds', durations);
  }

  override planned(plan: Pick<SlicesPlan, 'added' | 'updated' | 'removed'>): void {
    super.planned(plan);
    this.#updated.observe(plan.updated);
  }

  skipped(addresses: number): void {
    this.#skipped.observe(addresses);
  }

  took(durationMs: Millis): void {
    this.#took.observe(durationMs / 1_000);
  }
}
