import type { Clock, Counter, Gauge, Histogram, Metrics } from '@coracle/base';
import { type ReconcileResult, TerminalError } from '@coracle/client';
import type { ReconcileFunction } from './reconciler.js';

const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const results = ['success', 'error', 'requeue', 'requeue_after'] as const;
type Result = (typeof results)[number];

/** The metrics that every controller of the field has, under their usual names. */
export class ControllerMetrics {
  readonly #clock: Clock;
  readonly #controller: { readonly controller: string };
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #terminalErrors: Counter;
  readonly #time: Histogram;
  readonly #active: Gauge;

  constructor(options: {
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly controller: string;
    readonly workers: number;
  }) {
    const { metrics, clock, controller, workers } = options;
    const labels = ['controller'];
    const named = (name: string, help: string) => ({ name: `controller_runtime_${name}`, help, labels });
    this.#clock = clock;
    this.#controller = { controller };
    this.#total = metrics.counter({
      ...named('reconcile_total', 'Total number of reconciliations per controller'),
      labels: ['controller', 'result'],
    });
    this.#errors = metrics.counter(
      named('reconcile_errors_total', 'Total number of reconciliation errors per controller'),
    );
    this.#terminalErrors = metrics.counter(
      named('terminal_reconcile_errors_total', 'Total number of terminal reconciliation errors per controller'),
    );
    this.#time = metrics.histogram({
      ...named('reconcile_time_seconds', 'Length of time per reconciliation per controller'),
      buckets,
    });
    this.#active = metrics.gauge(named('active_workers', 'Number of currently used workers per controller'));
    metrics
      .gauge(named('max_concurrent_reconciles', 'Maximum number of concurrent reconciles per controller'))
      .set(workers, this.#controller);
    this.#begin();
  }

  /** The same function, counted. */
  counted(reconcile: ReconcileFunction): ReconcileFunction {
    return async (request, context) => {
      const begun = this.#clock.now();
      this.#active.add(1, this.#controller);
      try {
        const result = await reconcile(request, context);
        this.#count(resultOf(result));
        return result;
      } catch (error) {
        this.#count('error');
        this.#errors.add(1, this.#controller);
        if (error instanceof TerminalError) this.#terminalErrors.add(1, this.#controller);
        throw error;
      } finally {
        this.#time.observe((this.#clock.now() - begun) / 1000, this.#controller);
        this.#active.add(-1, this.#controller);
      }
    };
  }

  /** A rate needs a zero to start from. */
  #begin(): void {
    for (const result of results) this.#total.add(0, { ...this.#controller, result });
    for (const counter of [this.#errors, this.#terminalErrors]) counter.add(0, this.#controller);
    this.#active.set(0, this.#controller);
  }

  #count(result: Result): void {
    this.#total.add(1, { ...this.#controller, result });
  }
}

function resultOf(result: ReconcileResult | void): Result {
  if (result?.requeueAfterMs) return 'requeue_after';
  return result?.requeue ? 'requeue' : 'success';
}
