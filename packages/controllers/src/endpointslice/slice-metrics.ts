import type { ObjectKey } from '@coracle/apimachinery';
import type { Counter, Gauge, Histogram, Metrics } from '@coracle/base';
import type { SlicesPlan } from './plan-slices.js';

/** The results of a sync of a service, over all its address types. */
export interface SliceCounts {
  readonly endpoints: number;
  readonly slices: number;
  /** Minimum number of slices. */
  readonly fewest: number;
}

/** Buckets of the histograms. */
export const perSync: readonly number[] = Array.from({ length: 15 }, (_, power) => 2 ** (power + 1));

/** Metrics of endpoint slices, under the names of kube-controller-manager. */
export class SliceMetrics {
  readonly #changes: Counter;
  readonly #added: Histogram;
  readonly #removed: Histogram;
  readonly #totals: Readonly<Record<keyof SliceCounts, Gauge>>;
  readonly #counts = new Map<ObjectKey, SliceCounts>();

  /** `subsystem` is the controller: `endpoint_slice_controller`. */
  constructor(metrics: Metrics, subsystem: string) {
    const named = (name: string, help: string) => ({ name: `${subsystem}_${name}`, help });
    this.#changes = metrics.counter({ ...named('changes', 'Number of EndpointSlice changes'), labels: ['operation'] });
    const histogram = (what: 'added' | 'removed') =>
      metrics.histogram({
        ...named(`endpoints_${what}_per_sync`, `Number of endpoints ${what} on each sync`),
        buckets: perSync,
      });
    this.#added = histogram('added');
    this.#removed = histogram('removed');
    this.#totals = {
      endpoints: metrics.gauge(named('endpoints_desired', 'Number of endpoints desired')),
      slices: metrics.gauge(named('num_endpoint_slices', 'Number of EndpointSlices')),
      fewest: metrics.gauge(
        named('desired_endpoint_slices', 'Number of EndpointSlices that would exist with perfect endpoint allocation'),
      ),
    };
  }

  planned({ added, removed }: Pick<SlicesPlan, 'added' | 'updated' | 'removed'>): void {
    this.#added.observe(added);
    this.#removed.observe(removed);
  }

  changed(operation: 'create' | 'update' | 'delete'): void {
    this.#changes.add(1, { operation });
  }

  set(key: ObjectKey, counts: SliceCounts): void {
    const before = this.#counts.get(key) ?? nothing;
    this.#counts.set(key, counts);
    this.#addDifference(before, counts);
  }

  forget(key: ObjectKey): void {
    const before = this.#counts.get(key);
    if (before && this.#counts.delete(key)) this.#addDifference(before, nothing);
  }

  #addDifference(before: SliceCounts, now: SliceCounts): void {
    for (const name of ['endpoints', 'slices', 'fewest'] as const) this.#totals[name].add(now[name] - before[name]);
  }
}

const nothing: SliceCounts = { endpoints: 0, slices: 0, fewest: 0 };
