import { guardListener, StoreError, type StoreEvent, type StoreWatch, type WatchListener } from '@coracle/store';
import type { EtcdConnection, WatchStream } from './connection.js';
import { isMarker, type Keys } from './keys.js';
import type { WatchResponse, WireEvent } from './messages.js';
import type { ProgressSource } from './progress.js';

export interface EtcdWatchOptions {
  readonly connection: Pick<EtcdConnection, 'openWatch' | 'pause' | 'closed'>;
  readonly keys: Keys;
  readonly prefix: string;
  readonly fromRevision: number;
  readonly listener: WatchListener;
  readonly progress: Pick<ProgressSource, 'currentRevision' | 'prompt'>;
}

/** One watch on a separate stream. When the stream ends, the next begins after the last revision that was delivered. */
export class EtcdWatch implements StoreWatch {
  readonly #options: EtcdWatchOptions;
  readonly #ended = new AbortController();
  /** The first revision that has not been delivered. */
  #next: number;
  /** Events of a revision that is not complete yet. */
  #fragments: WireEvent[] = [];
  /** Progress is reported when the watch reaches one of these. */
  readonly #waitingRevisions = new Set<number>();
  /** Progress was requested after the store's revision was last read. */
  #progressWanted = false;
  /** Whether the loop that requests progress is running. It serves all callers, so their number does not matter. */
  #asking = false;
  /** Something has arrived from etcd since the last request. */
  #answered = false;
  /** Ends the wait of the loop. */
  #wake: () => void = () => {};
  #stream: WatchStream | undefined;
  /** Number of consecutive streams that ended before etcd had responded. */
  #failures = 0;

  constructor(options: EtcdWatchOptions) {
    this.#options = { ...options, listener: guardListener(options.listener, () => this[Symbol.dispose]()) };
    this.#next = Math.max(1, options.fromRevision);
    void this.#run();
  }

  requestProgress(): void {
    this.#progressWanted = true;
    if (!this.#asking) void this.#askProgress();
    else if (this.#answered) this.#wake();
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#stream?.cancel();
  }

  get #over(): boolean {
    return this.#ended.signal.aborted || this.#options.connection.closed;
  }

  async #run(): Promise<void> {
    while (!this.#over) {
      await this.#follow();
      if (this.#over) return;
      await this.#options.connection.pause(this.#failures++).catch(() => {});
    }
  }

  /** Resolves when the stream has ended, for whatever reason. */
  #follow(): Promise<void> {
    const { connection, keys, prefix } = this.#options;
    const { stream, abandon } = connection.openWatch();
    this.#stream = stream;
    this.#fragments = [];
    return new Promise((resolve) => {
      stream.on('data', (response: WatchResponse) => this.#receive(response));
      stream.on('error', () => {
        abandon();
        resolve();
      });
      stream.on('end', resolve);
      const create = { startRevision: this.#next, progressNotify: true, fragment: true };
      stream.write({ create: { ...keys.range(prefix), ...create } });
    });
  }

  #receive(response: WatchResponse): void {
    if (this.#over) return;
    const { header, created, canceled, compactRevision = 0, events = [], fragment } = response;
    if (canceled || compactRevision > 0) {
      this.#fail(this.#failureOf(response));
      return;
    }
    this.#failures = 0;
    if (events.length > 0 || this.#fragments.length > 0) {
      this.#fragments.push(...events);
      if (!fragment) this.#tell(this.#fragments.splice(0));
    } else if (!created) this.#advance(header?.revision ?? 0);
    this.#answered = true;
    if (this.#progressWanted || this.#waitingRevisions.size === 0) this.#wake();
  }

  #fail(error: StoreError): void {
    this[Symbol.dispose]();
    this.#options.listener.onError(error);
  }

  /** Why etcd ended the watch: its history was compacted, or we may not watch (any more). */
  #failureOf({ compactRevision = 0, cancelReason = 'no reason' }: WatchResponse): StoreError {
    if (compactRevision === 0) return new StoreError('Unavailable', `etcd canceled the watch: ${cancelReason}`);
    const message = `revision ${this.#next} has been compacted; the oldest kept is ${compactRevision}`;
    return new StoreError('Compacted', message, { compactRevision });
  }

  /**
   * A response has complete revisions, but its header may be ahead of them: the last event has the revision of the
   * response.
   */
  #tell(wireEvents: readonly WireEvent[]): void {
    const all = wireEvents.map((event) => this.#options.keys.event(event));
    const last = all.at(-1)?.keyValue.modRevision ?? 0;
    const events = all.filter((event) => this.#isNews(event));
    if (events.length > 0) this.#options.listener.onEvents(events, last);
    this.#advance(last);
  }

  #isNews({ keyValue }: StoreEvent): boolean {
    return keyValue.modRevision >= this.#next && !isMarker(keyValue.key);
  }

  /** Everything up to `revision` has been delivered. */
  #advance(revision: number): void {
    this.#next = Math.max(this.#next, revision + 1);
    const lastRevision = this.#next - 1;
    const waiting = this.#waitingRevisions.size;
    for (const awaited of this.#waitingRevisions) if (awaited <= lastRevision) this.#waitingRevisions.delete(awaited);
    if (this.#waitingRevisions.size < waiting && !this.#over) this.#options.listener.onProgress?.(lastRevision);
  }

  async #askProgress(): Promise<void> {
    this.#asking = true;
    while (!this.#over && (this.#progressWanted || this.#waitingRevisions.size > 0)) {
      // It fails while etcd does not answer, or when the store is closed.
      await this.#askOnce().catch(() => this.#options.connection.pause().catch(() => undefined));
    }
    // In the same step as the last check: a request after it finds nothing asking.
    this.#asking = false;
  }

  async #askOnce(): Promise<void> {
    const { progress, prefix, connection } = this.#options;
    if (this.#progressWanted) {
      this.#progressWanted = false;
      this.#waitingRevisions.add(await progress.currentRevision());
      this.#advance(0);
    }
    if (this.#waitingRevisions.size === 0 || this.#over) return;
    this.#answered = false;
    await progress.prompt(prefix, this.#stream);
    // A member that has not caught up leaves a request unanswered, so it is made again.
    for (let rests = 0; rests < 4 && this.#waitingRevisions.size > 0; rests++) {
      if (this.#progressWanted && (this.#answered || rests > 0)) return;
      await Promise.race([connection.pause(), new Promise<void>((resolve) => (this.#wake = resolve))]);
    }
  }
}
