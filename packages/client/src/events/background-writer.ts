import { StatusError } from '@coracle/apimachinery';
import { type Activity, type Clock, Fifo, type Logger, type Millis, type Random, sleep } from '@coracle/base';
import type { BucketRateLimiter } from '../workqueue/rate-limiter.js';

export interface BackgroundWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Held during writes; not while a retry waits. */
  readonly activity?: Activity;
  /**
   * Shared by writers of one process: writes beyond the limit wait. Events must not delay the work that they report.
   */
  readonly pace?: BucketRateLimiter;
}

const maxPending = 1_000;
const maxTries = 12;
const retryMs: Millis = 10_000;

/**
 * Writes items one after the other in the background. Rejected items are dropped; after connection failures they are
 * retried for two minutes. If too many wait, new ones are dropped.
 */
export class BackgroundWriter implements AsyncDisposable {
  readonly #options: BackgroundWriterOptions;
  readonly #pending = new Fifo<() => Promise<void>>();
  #isEnded = false;
  /** Made when something has to be cut short: writers are many, and seldom wait. */
  #aborter: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(options: BackgroundWriterOptions) {
    this.#options = options;
  }

  /** New items are dropped. */
  get isFull(): boolean {
    return this.#isEnded || this.#pending.size >= maxPending;
  }

  write(write: () => Promise<void>): void {
    if (this.isFull) return;
    this.#pending.push(write);
    this.#running ??= this.#drain();
  }

  /** Writes what is pending, each event at most once more, and accepts nothing new. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#aborter?.abort();
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      for (let write = this.#pending.shift(); write; write = this.#pending.shift()) {
        const waitMs = this.#isEnded ? 0 : (this.#options.pace?.when() ?? 0);
        if (waitMs > 0) await this.#pause(waitMs);
        await this.#try(write);
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** After disposal, retries do not wait. */
  async #pause(waitMs: Millis): Promise<void> {
    if (this.#isEnded) return;
    this.#aborter ??= new AbortController();
    await sleep(this.#options.clock, waitMs, this.#aborter.signal).catch(() => undefined);
  }

  async #try(write: () => Promise<void>): Promise<void> {
    const { random, logger } = this.#options;
    for (let tries = 1; ; tries++) {
      const error = await this.#once(write);
      if (error === undefined) return;
      if (StatusError.is(error) || tries >= maxTries || this.#isEnded) {
        logger.info('An event could not be written and is dropped', { error });
        return;
      }
      // The first delay is random, so that components that lost one server do not return to it at the same time.
      const delayMs = tries === 1 ? retryMs * random.next() : retryMs;
      await this.#pause(delayMs);
    }
  }

  async #once(write: () => Promise<void>): Promise<unknown> {
    // Events do not count as activity: nothing waits for them.
    const work = this.#options.activity?.whole.begin();
    try {
      await write();
      return undefined;
    } catch (error) {
      return error ?? new Error('unknown');
    } finally {
      work?.[Symbol.dispose]();
    }
  }
}
