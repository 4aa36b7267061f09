import { guardListener, StoreError, type StoreEvent, type StoreWatch, type WatchListener } from '@coracle/store';
import type { EtcdConnection, WatchStream } from './connection.js';
import { isMarker, type Keys } from './keys.js';
import type { WatchResponse, WireEvent } from './messages.js';
import type { ProgressSource } from './progress.js';

export interface EtcdWatchOptions {
  readonly connection: EtcdConnection;
  readonly keys: Keys;
  readonly prefix: string;
  readonly fromRevision: number;
  readonly listener: WatchListener;
  readonly progress: ProgressSource;
}

/** One watch on a separate stream. When the stream ends, the next begins after the last revision that was delivered. */
export class EtcdWatch implements StoreWatch {
  readonly #options: EtcdWatchOptions;
  readonly #ended = new AbortController();
  /** The first revision that has not been delivered. */
  #next: number;
  /** Events of a revision whose last part has not come yet. */
  #fragments: WireEvent[] = [];
  /** Progress is reported when the watch has reached the largest of these. */
  #waitingRevisions: number[] = [];
  #stream: WatchStream | undefined;
  /** Streams in a row that ended before etcd had answered. */
  #failures = 0;

  constructor(options: EtcdWatchOptions) {
    this.#options = { ...options, listener: guardListener(options.listener, () => this[Symbol.dispose]()) };
    this.#next = Math.max(1, options.fromRevision);
    void this.#run();
  }

  requestProgress(): void {
    this.#askProgress().catch(() => {
      // It fails only when the store is closed: then progress is no longer awaited.
    });
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
    this.#failures = 0;
    if (compactRevision > 0) this.#fail(compactRevision);
    else if (canceled) this.#stream?.cancel();
    else if (events.length > 0 || this.#fragments.length > 0) {
      this.#fragments.push(...events);
      if (!fragment) this.#tell(this.#fragments.splice(0));
    } else if (!created) this.#advance(header?.revision ?? 0);
  }

  #fail(compactRevision: number): void {
    this[Symbol.dispose]();
    const message = `revision ${this.#next} has been compacted; the oldest kept is ${compactRevision}`;
    this.#options.listener.onError(new StoreError('Compacted', message, { compactRevision }));
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
    const waiting = this.#waitingRevisions.length;
    this.#waitingRevisions = this.#waitingRevisions.filter((revision) => revision > lastRevision);
    if (this.#waitingRevisions.length < waiting && !this.#over) this.#options.listener.onProgress?.(lastRevision);
  }

  async #askProgress(): Promise<void> {
    const { progress, prefix } = this.#options;
    const target = await progress.currentRevision();
    this.#waitingRevisions.push(target);
    this.#advance(0);
    while (this.#waitingRevisions.includes(target) && !this.#over) {
      await progress.prompt(prefix, this.#stream);
      // A member that has not caught up leaves a request unanswered, so it is made again.
      for (let pauses = 0; pauses < 4 && this.#waitingRevisions.includes(target) && !this.#over; pauses++) {
        await this.#options.connection.pause();
      }
    }
  }
}
