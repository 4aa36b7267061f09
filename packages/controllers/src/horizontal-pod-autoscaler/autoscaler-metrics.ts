import type { Clock, Counter, Histogram, Metrics, Millis } from '@coracle/base';

export type ScalingAction = 'scale_up' | 'scale_down' | 'none';
/** The cause of an error: the autoscaler's spec, or something else. */
export type ScalingError = 'spec' | 'internal' | 'none';

export interface ScalingOutcome {
  readonly action: ScalingAction;
  readonly error: ScalingError;
}

/** Buckets from a millisecond to 16 seconds. */
const buckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Metrics of autoscalers, under the names of kube-controller-manager. */
export class AutoscalerMetrics {
  readonly #clock: Clock;
  readonly #reconciliations: Counter;
  readonly #durations: Histogram;
  readonly #computations: Counter;
  readonly #computationDurations: Histogram;

  constructor({ metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock }) {
    this.#clock = clock;
    const named = (name: string, help: string, ...labels: string[]) => ({
      name: `horizontal_pod_autoscaler_controller_${name}`,
      help,
      labels: ['action', 'error', ...labels],
    });
    this.#reconciliations = metrics.counter(
      named('reconciliations_total', 'Number of reconciliations of HPA controller.'),
    );
    this.#durations = metrics.histogram({
      ...named('reconciliation_duration_seconds', 'The time(seconds) that the HPA controller takes to reconcile once.'),
      buckets,
    });
    this.#computations = metrics.counter(
      named('metric_computation_total', 'Number of metric computations.', 'metric_type'),
    );
    this.#computationDurations = metrics.histogram({
      ...named(
        'metric_computation_duration_seconds',
        'The time(seconds) that the HPA controller takes to calculate one metric.',
        'metric_type',
      ),
      buckets,
    });
  }

  reconciled({ action, error }: ScalingOutcome, startedAt: Millis): void {
    this.#reconciliations.add(1, { action, error });
    this.#durations.observe(this.#secondsSince(startedAt), { action, error });
  }

  computed({ action, error }: ScalingOutcome, metricType: string, startedAt: Millis): void {
    const labels = { action, error, metric_type: metricType };
    this.#computations.add(1, labels);
    this.#computationDurations.observe(this.#secondsSince(startedAt), labels);
  }

  #secondsSince(startedAt: Millis): number {
    return (this.#clock.now() - startedAt) / 1000;
  }
}

export function scalingAction(from: number, to: number): ScalingAction {
  if (to === from) return 'none';
  return to > from ? 'scale_up' : 'scale_down';
}
