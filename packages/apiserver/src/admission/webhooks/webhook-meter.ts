import { StatusError } from '@coracle/apimachinery';
import type { Clock, Counter, Histogram, Metrics } from '@coracle/base';
import { WebhookFailure } from './webhook-outcomes.js';

const buckets: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

export interface WebhookLabels {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
}

/** ADM-32: how long webhooks take, and how often they refuse or fail. */
export class WebhookMeter {
  readonly #clock: Clock;
  readonly #durations: Histogram;
  readonly #rejections: Counter;
  readonly #failedOpen: Counter;

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#durations = metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Time that a webhook takes, by its name.',
      labels: ['name', 'operation', 'rejected', 'type'],
      buckets,
    });
    this.#rejections = metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that a webhook did not let pass, by the reason.',
      labels: ['name', 'operation', 'type', 'error_type', 'rejection_code'],
    });
    this.#failedOpen = metrics.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Requests that passed because the failure of a webhook was overlooked.',
      labels: ['name', 'type'],
    });
  }

  /** Measures a call from its beginning to its end. */
  async measure<T>(labels: WebhookLabels, call: () => Promise<T>): Promise<T> {
    const { name, type, operation } = labels;
    const begunAt = this.#clock.now();
    const observe = (rejected: boolean) =>
      this.#durations.observe((this.#clock.now() - begunAt) / 1000, {
        name,
        operation,
        rejected: String(rejected),
        type,
      });
    try {
      const result = await call();
      observe(false);
      return result;
    } catch (error) {
      observe(true);
      const failed = error instanceof WebhookFailure;
      const code = StatusError.is(error) ? Math.min(error.status.code, 600) : 0;
      const error_type = failed
        ? 'calling_webhook_error'
        : StatusError.is(error)
          ? 'no_error'
          : 'apiserver_internal_error';
      this.#rejections.add(1, { name, operation, type, error_type, rejection_code: String(code) });
      throw error;
    }
  }

  overlooked(name: string, type: WebhookLabels['type']): void {
    this.#failedOpen.add(1, { name, type });
  }
}
