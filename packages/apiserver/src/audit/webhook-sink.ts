import { type Clock, type Millis, sleep } from '@coracle/base';
import type { WebhookEndpoint } from '../outbound/webhook-endpoint.js';
import type { AuditBackend } from './audit-event.js';
import type { BatchSink } from './batch-backend.js';
import { truncateEvent } from './truncate-event.js';

export interface WebhookSinkOptions {
  readonly endpoint: WebhookEndpoint;
  readonly clock: Clock;
  readonly initialBackoffMs: Millis;
  /** If set, larger events lose their objects, and requests stay below `maxBatchBytes`. */
  readonly truncate?: { readonly maxEventBytes: number; readonly maxBatchBytes: number } | undefined;
}

const attempts = 4;

/** Sends `EventList`s to a webhook. Transient failures are retried. */
export function webhookSink({ endpoint, clock, initialBackoffMs, truncate }: WebhookSinkOptions): BatchSink {
  const post = async (items: readonly string[]): Promise<void> => {
    const text = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join()}]}`;
    for (let attempt = 1; ; attempt++) {
      try {
        await endpoint.post(text);
        return;
      } catch (error) {
        if (attempt >= attempts) throw error;
        await sleep(clock, initialBackoffMs * 1.5 ** (attempt - 1));
      }
    }
  };
  return {
    name: 'webhook',
    send: async (events) => {
      for (const batch of batches(events, truncate)) await post(batch);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Sends one event per request, and waits for the response. */
export function blockingBackend(sink: BatchSink): AuditBackend {
  return {
    name: sink.name,
    process: (event) => sink.send([event]),
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}

function* batches(events: readonly string[], truncate: WebhookSinkOptions['truncate']): Generator<string[], void> {
  const limit = truncate?.maxBatchBytes ?? Number.POSITIVE_INFINITY;
  let batch: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const text = truncate ? truncateEvent(event, truncate.maxEventBytes) : event;
    if (text === undefined) continue;
    if (batch.length > 0 && bytes + text.length > limit) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(text);
    bytes += text.length;
  }
  if (batch.length > 0) yield batch;
}
