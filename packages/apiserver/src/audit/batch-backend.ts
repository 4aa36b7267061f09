import type { Clock, Logger, Millis } from '@coracle/base';
import type { AuditBackend } from './audit-event.js';

export interface BatchSettings {
  /** Maximum number of buffered events; further ones are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxWaitMs: Millis;
  /** Batches per second, and the burst; unlimited unless set. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
}

/** Sends a batch of events in JSON; a batch whose promise rejects is not retried. */
export interface BatchSink extends AsyncDisposable {
  readonly name: string;
  send(events: readonly string[]): Promise<void>;
}

/** Buffers events, so that requests never wait for a backend. */
export class BatchBackend implements AuditBackend {
  readonly name: string;
  readonly #sink: BatchSink;
  readonly #settings: BatchSettings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onDrop: (events: number) => void;
  #buffer: string[] = [];
  #timer: Disposable | undefined;
  #tokens: number;
  #refilledAt: Millis;
  #sending = new Set<Promise<void>>();

  constructor(
    sink: BatchSink,
    settings: BatchSettings,
    deps: { readonly clock: Clock; readonly logger: Logger; readonly onDrop: (events: number) => void },
  ) {
    this.name = sink.name;
    this.#sink = sink;
    this.#settings = settings;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#onDrop = deps.onDrop;
    this.#tokens = settings.throttle?.burst ?? 0;
    this.#refilledAt = deps.clock.now();
  }

  process(event: string): undefined {
    if (this.#buffer.length >= this.#settings.bufferSize) {
      this.#onDrop(1);
      return undefined;
    }
    this.#buffer.push(event);
    if (this.#buffer.length >= this.#settings.maxBatchSize) this.#sendFull();
    else this.#timer ??= this.#clock.schedule(this.#settings.maxWaitMs, () => this.#sendAll());
    return undefined;
  }

  /** Buffered events are sent before the shutdown, whatever the limits are. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    while (this.#buffer.length > 0) this.#send();
    await Promise.all(this.#sending);
    await this.#sink[Symbol.asyncDispose]();
  }

  #sendFull(): void {
    while (this.#buffer.length >= this.#settings.maxBatchSize && this.#takeToken()) this.#send();
    this.#arm();
  }

  #sendAll(): void {
    this.#timer = undefined;
    while (this.#buffer.length > 0 && this.#takeToken()) this.#send();
    this.#arm();
  }

  /** A request that still waits is looked at again: soon if only the throttle held it back. */
  #arm(): void {
    if (this.#timer || this.#buffer.length === 0) return;
    const { throttle, maxWaitMs, maxBatchSize } = this.#settings;
    const isHeldBack = throttle && this.#buffer.length >= maxBatchSize;
    const waitMs = isHeldBack ? Math.min(maxWaitMs, 1000 / throttle.qps) : maxWaitMs;
    this.#timer = this.#clock.schedule(waitMs, () => this.#sendAll());
  }

  #takeToken(): boolean {
    const { throttle } = this.#settings;
    if (!throttle) return true;
    const now = this.#clock.now();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilledAt) / 1000) * throttle.qps);
    this.#refilledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #send(): void {
    const events = this.#buffer.splice(0, this.#settings.maxBatchSize);
    const sending = this.#sink
      .send(events)
      .catch((error: unknown) => {
        this.#onDrop(events.length);
        this.#logger.error('audit events could not be sent', { backend: this.name, events: events.length, error });
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}
