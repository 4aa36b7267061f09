import { type Activity, messageOf } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import type { StoreEvent } from '../store.js';
import { StoreError } from '../store-error.js';

/** A decided transaction that waits to become durable. */
export interface Commit {
  readonly writes: readonly BackendWrite[];
  readonly events: readonly StoreEvent[];
  /** The store's revision once this is durable. */
  readonly revision: number;
  readonly onDurable: () => void;
  readonly onFailed: (error: StoreError) => void;
}

export interface CommitQueueOptions {
  readonly backend: Backend;
  readonly activity?: Activity | undefined;
  /**
   * Called after each batch is durable, before its writers are notified. A failure here is a bug: it does not stop the
   * queue.
   */
  readonly onDurable: (batch: readonly Commit[]) => void;
  /** Called when a batch could not be written. It, and everything decided after it, is discarded. */
  readonly onFailed: () => void;
}

/**
 * Group commit: while one batch is being written to disk, new commits gather in the next. So each waits for at most two
 * syncs, and a sync is shared by all of its commits.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  #waiting: Commit[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return this.#flushing === undefined;
  }

  push(commit: Commit): void {
    this.#waiting.push(commit);
    this.#flushing ??= this.#flush();
  }

  /** Resolves when everything pushed so far is durable, or has failed. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flush(): Promise<void> {
    const work = this.#options.activity?.beginOutside();
    // Transactions that are decided in this turn of the microtask queue join the first batch.
    try {
      await Promise.resolve();
      while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0));
    } finally {
      this.#flushing = this.#waiting.length > 0 ? this.#flush() : undefined;
      work?.[Symbol.dispose]();
    }
  }

  async #writeBatch(batch: readonly Commit[]): Promise<void> {
    const writes: BackendWrite[] = [];
    for (const commit of batch) for (const write of commit.writes) writes.push(write);
    try {
      if (writes.length > 0) await this.#options.backend.write(writes);
    } catch (cause) {
      this.#fail(batch, cause);
      return;
    }
    try {
      this.#options.onDurable(batch);
    } finally {
      // The batch is durable, whatever failed above.
      for (const commit of batch) commit.onDurable();
    }
  }

  #fail(batch: readonly Commit[], cause: unknown): void {
    const failed = [...batch, ...this.#waiting.splice(0)];
    this.#options.onFailed();
    const error = StoreError.is(cause)
      ? cause
      : new StoreError('Unavailable', `the write failed: ${messageOf(cause)}`, { cause });
    for (const commit of failed) commit.onFailed(error);
  }
}
