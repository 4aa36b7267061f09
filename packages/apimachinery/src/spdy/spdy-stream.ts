import { resetStatus, type SpdyFrame } from './frames.js';
import type { SpdyHeaders } from './header-block.js';

/** Receives the data of a stream. Nothing is received after `end` or `reset`. */
export interface SpdyStreamSink {
  data(chunk: Uint8Array): void;
  /** The other side will send no more; it may still listen. */
  end(): void;
  /** The stream is over for both sides, before its time. */
  reset(): void;
}

/** The part of the connection that a stream uses. */
export interface StreamLink {
  send(frame: SpdyFrame): void;
  /** Counts buffered data until there is a listener. False if it exceeds the limit. */
  keep(bytes: number): boolean;
  /** Both sides are through with the stream. */
  forget(streamId: number): void;
}

export interface SpdyStreamOptions {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** The other side has already ended its data. */
  readonly remoteEnded: boolean;
  readonly localEnded: boolean;
  /** False for a stream that we opened: Go's side drops what comes before it has answered. */
  readonly replied: boolean;
  readonly link: StreamLink;
}

/** Data is sent in frames of this size, so that streams get their turns. */
const pieceBytes = 32 * 1024;

/** One of the streams of a connection: bytes both ways, each of which ends on its own. */
export class SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #link: StreamLink;
  #sink: SpdyStreamSink | undefined;
  /** Data that arrived before there was a listener. */
  #unheard: Uint8Array[] = [];
  /** Data that waits until the other side has answered. */
  #unsent: SpdyFrame[] | undefined;
  #localEnded: boolean;
  #remote: 'open' | 'ended' | 'reset';

  constructor({ id, headers, remoteEnded, localEnded, replied, link }: SpdyStreamOptions) {
    this.id = id;
    this.headers = headers;
    this.#link = link;
    this.#localEnded = localEnded;
    this.#remote = remoteEnded ? 'ended' : 'open';
    this.#unsent = replied ? undefined : [];
  }

  /** From now on all data goes to `sink`, beginning with the buffered data. */
  listen(sink: SpdyStreamSink): void {
    this.#sink = sink;
    for (const chunk of this.#unheard.splice(0)) {
      this.#link.keep(-chunk.length);
      sink.data(chunk);
    }
    if (this.#remote === 'ended') sink.end();
    if (this.#remote === 'reset') sink.reset();
  }

  write(chunk: Uint8Array): void {
    if (this.#localEnded) return;
    for (let at = 0; at < chunk.length; at += pieceBytes)
      this.#send({ type: 'data', streamId: this.id, fin: false, data: chunk.subarray(at, at + pieceBytes) });
  }

  /** Ends the data of this side. */
  end(): void {
    if (this.#localEnded) return;
    this.#localEnded = true;
    this.#send({ type: 'data', streamId: this.id, fin: true, data: new Uint8Array() });
    if (this.#remote !== 'open') this.#link.forget(this.id);
  }

  /** Ends both directions at once. */
  reset(status: number = resetStatus.cancel): void {
    if (this.#localEnded && this.#remote !== 'open') return;
    this.#link.send({ type: 'rst-stream', streamId: this.id, status });
    this.onReset();
  }

  /** For the connection: the other side has accepted the stream. */
  onReply(): void {
    const waiting = this.#unsent ?? [];
    this.#unsent = undefined;
    for (const frame of waiting) this.#link.send(frame);
  }

  /** For the connection: data was received. */
  onData(data: Uint8Array, fin: boolean): void {
    if (this.#remote !== 'open') return;
    if (data.length > 0) this.#hear(data);
    // A stream whose buffer was full has been reset meanwhile.
    if (fin && this.#isOpen()) {
      this.#remote = 'ended';
      this.#sink?.end();
      if (this.#localEnded) this.#link.forget(this.id);
    }
  }

  /** For the connection: the other side, or the connection itself, has given up. */
  onReset(): void {
    const wasOpen = this.#isOpen();
    this.#localEnded = true;
    this.#unsent = undefined;
    this.#link.forget(this.id);
    if (!wasOpen) return;
    this.#remote = 'reset';
    this.#sink?.reset();
  }

  #isOpen(): boolean {
    return this.#remote === 'open';
  }

  #hear(data: Uint8Array): void {
    if (this.#sink) this.#sink.data(data);
    else if (this.#link.keep(data.length)) this.#unheard.push(data);
    else this.reset(resetStatus.refusedStream);
  }

  #send(frame: SpdyFrame): void {
    if (this.#unsent) this.#unsent.push(frame);
    else this.#link.send(frame);
  }
}
