import type { ByteSink } from '@coracle/apimachinery';

/** Write interval of a busy stream: each write costs a TLS record and a system call. */
const gatherMs = 4;
/** If all streams together send more than `calmBytes` per millisecond, the interval increases up to this. */
const longestGatherMs = 20;
const calmBytes = 128 * 1024;
/** Maximum size of buffered data: the writer is notified at once whether the client takes it. */
const gatherBytes = 256 * 1024;

/** The part of a response that is used. */
export interface StreamOutgoing {
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  destroy(error: Error): unknown;
  on(event: 'drain', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The open streams of a server. Data that is written to a stream within one turn of the event loop, or within a few
 * milliseconds while more arrives, is sent at once; data that many streams send alike is assembled once.
 */
export class StreamGroup {
  #next: GatheringSink[] = [];
  #later: GatheringSink[] = [];
  #gatherMs = gatherMs;
  /** The last assembled data, and its parts. */
  #parts: readonly Uint8Array[] = [];
  #joined: Uint8Array = new Uint8Array(0);

  sink(outgoing: StreamOutgoing): ByteSink {
    return new GatheringSink(outgoing, this);
  }

  /** Schedules a flush of `sink`: at once if it was idle, otherwise with all other busy streams. */
  schedule(sink: GatheringSink): void {
    if (performance.now() - sink.flushedAt >= this.#gatherMs) {
      if (this.#next.push(sink) === 1) setImmediate(this.#flushNext);
    } else if (this.#later.push(sink) === 1) setTimeout(this.#flushLater, this.#gatherMs);
  }

  /** The parts in one piece. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    if (parts.length === 1) return parts[0] as Uint8Array;
    if (!isSame(parts, this.#parts)) {
      this.#parts = parts;
      this.#joined = Buffer.concat(parts);
    }
    return this.#joined;
  }

  readonly #flushNext = (): void => {
    const sinks = this.#next;
    this.#next = [];
    this.#flush(sinks);
  };

  readonly #flushLater = (): void => {
    const sinks = this.#later;
    this.#later = [];
    const bytes = this.#flush(sinks);
    this.#gatherMs = Math.min(Math.max(bytes / calmBytes, gatherMs), longestGatherMs);
  };

  /** Number of bytes. */
  #flush(sinks: readonly GatheringSink[]): number {
    const now = performance.now();
    let bytes = 0;
    for (const sink of sinks) bytes += sink.flush(now);
    this.#parts = [];
    this.#joined = new Uint8Array(0);
    return bytes;
  }
}

function isSame(parts: readonly Uint8Array[], others: readonly Uint8Array[]): boolean {
  if (parts.length !== others.length) return false;
  for (let i = 0; i < parts.length; i++) if (parts[i] !== others[i]) return false;
  return true;
}

class GatheringSink implements ByteSink {
  readonly #outgoing: StreamOutgoing;
  readonly #group: StreamGroup;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #ended = false;
  #closed = false;
  /** True from the moment the socket's buffer is full until it has drained. */
  #behind = false;
  flushedAt = Number.NEGATIVE_INFINITY;

  constructor(outgoing: StreamOutgoing, group: StreamGroup) {
    this.#outgoing = outgoing;
    this.#group = group;
    outgoing.once('close', () => {
      this.#closed = true;
    });
    outgoing.on('drain', () => {
      this.#behind = false;
    });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#pending.push(chunk) === 1) this.#group.schedule(this);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes >= gatherBytes) this.flush(performance.now());
    return !this.#behind;
  }

  /** The client must not take what broke off for the whole response: its connection or stream breaks off too. */
  end(cut?: Error): void {
    if (cut) {
      this.flush(performance.now());
      this.#closed = true;
      this.#outgoing.destroy(cut);
      return;
    }
    this.#ended = true;
    if (this.#pending.length === 0) this.#outgoing.end();
  }

  onDrain(listener: () => void): void {
    this.#outgoing.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#outgoing.once('close', listener);
  }

  /** Number of bytes. */
  flush(now: number): number {
    this.flushedAt = now;
    const parts = this.#pending;
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.#closed || parts.length === 0) return 0;
    this.#behind = !this.#outgoing.write(this.#group.join(parts));
    if (this.#ended) this.#outgoing.end();
    return bytes;
  }
}
