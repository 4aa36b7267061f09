import type { Clock, Counter, Histogram, Metrics, Millis } from '@coracle/base';
import type { Webhook } from './webhook.js';
import { WebhookFailure, WebhookRejection } from './webhook-outcomes.js';

/** Higher ones are counted as this one, to bound the values of the label. */
const highestCode = 600;

const buckets: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

export interface MeasuredCall {
  readonly webhook: Pick<Webhook, 'name' | 'ignoresFailure'>;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
}

/** How a call ended, as it is counted. */
interface Outcome {
  readonly code: number;
  /** Absent if the request may go on. */
  readonly rejection?: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';
}

/** ADM-32: how long webhooks take, and how often they refuse or fail. */
export class WebhookMeter {
  readonly #clock: Clock;
  readonly #durations: Histogram;
  readonly #requests: Counter;
  readonly #rejections: Counter;
  readonly #failedOpen: Counter;

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#durations = metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Duration of an admission webhook in seconds, by name.',
      labels: ['name', 'operation', 'rejected', 'type'],
      buckets,
    });
    this.#requests = metrics.counter({
      name: 'apiserver_admission_webhook_request_total',
      help: 'Calls of a webhook, by the code of their outcome.',
      labels: ['name', 'operation', 'type', 'code', 'rejected'],
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
  async measure<T>(call: MeasuredCall, run: () => Promise<T>): Promise<T> {
    const begunAt = this.#clock.now();
    try {
      const result = await run();
      this.#observe(call, { code: 200 }, begunAt);
      return result;
    } catch (error) {
      this.#observe(call, outcomeOf(error, call.webhook), begunAt);
      throw error;
    }
  }

  #observe({ webhook: { name }, type, operation }: MeasuredCall, { code, rejection }: Outcome, begunAt: Millis): void {
    const rejected = String(rejection !== undefined);
    const shownCode = String(Math.min(code, highestCode));
    this.#durations.observe((this.#clock.now() - begunAt) / 1000, { name, operation, rejected, type });
    this.#requests.add(1, { name, operation, type, code: shownCode, rejected });
    if (rejection === undefined) return;
    this.#rejections.add(1, { name, operation, type, error_type: rejection, rejection_code: shownCode });
  }

  overlooked(name: string, type: MeasuredCall['type']): void {
    this.#failedOpen.add(1, { name, type });
  }
}

function outcomeOf(error: unknown, { ignoresFailure }: MeasuredCall['webhook']): Outcome {
  if (error instanceof WebhookRejection) return { code: error.status.code, rejection: 'no_error' };
  if (!(error instanceof WebhookFailure)) return { code: 0, rejection: 'apiserver_internal_error' };
  return { code: error.code, ...(!ignoresFailure && { rejection: 'calling_webhook_error' }) };
}
