import { type Channel, normalClosure } from '../channel.js';
import { defaultFrameLimits, type FrameLimits, FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { resetStatus, type SpdyFrame } from './frames.js';
import type { SpdyHeaders } from './header-block.js';
import { SpdyError } from './spdy-error.js';
import { SpdyStream, type StreamLink } from './spdy-stream.js';

export interface SpdyLimits extends FrameLimits {
  /** Streams that are open at once. */
  readonly maxStreams: number;
  /** Bytes buffered for streams without a listener, in total. */
  readonly maxUnheardBytes: number;
}

export interface SpdyConnectionOptions {
  readonly role: 'client' | 'server';
  /** Whether a stream that the peer opens is accepted; all are by default. */
  readonly accepts?: (headers: SpdyHeaders) => boolean;
  /** A stream that the other side has opened, and that has been accepted. */
  readonly onStream?: (stream: SpdyStream) => void;
  /** Called once; without an error if it ended in good order. */
  readonly onClose?: (error?: Error) => void;
  readonly limits?: Partial<SpdyLimits>;
}

const defaultLimits: SpdyLimits = { ...defaultFrameLimits, maxStreams: 1_000, maxUnheardBytes: 1024 * 1024 };
const goAwayStatus = { ok: 0, protocolError: 1 } as const;

/**
 * One end of a SPDY/3.1 connection over a channel of bytes. There is no flow control by windows, as in Go's
 * implementation, which neither announces nor respects them: the channel below pauses the sender.
 */
export class SpdyConnection implements Disposable {
  readonly #channel: Channel;
  readonly #options: SpdyConnectionOptions;
  readonly #limits: SpdyLimits;
  readonly #reader: FrameReader;
  readonly #writer = new FrameWriter();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #pings = new Map<number, () => void>();
  /** Odd for clients, even for servers; pings are numbered in the same way. */
  #nextStreamId: number;
  #nextPingId: number;
  #lastRemoteId = 0;
  #unheardBytes = 0;
  /** Whether either side has sent or received GOAWAY: no more streams are opened. */
  #leaving = false;
  #closed = false;

  constructor(channel: Channel, options: SpdyConnectionOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#reader = new FrameReader(this.#limits);
    this.#nextStreamId = options.role === 'client' ? 1 : 2;
    this.#nextPingId = this.#nextStreamId;
    channel.onMessage((chunk) => this.#hear(chunk));
    channel.onClose((code, reason) =>
      this.#close(code === normalClosure ? undefined : new Error(`the connection closed (${code} ${reason})`)),
    );
  }

  /** Opens a stream. What is written to it waits until the other side has accepted it. */
  open(headers: SpdyHeaders, { fin = false }: { readonly fin?: boolean } = {}): SpdyStream {
    if (this.#leaving || this.#closed) throw new Error('the connection accepts no more streams');
    const id = this.#nextStreamId;
    this.#nextStreamId += 2;
    const stream = this.#add({ id, headers, replied: false, localEnded: fin, remoteEnded: false });
    this.#send({ type: 'syn-stream', streamId: id, fin, unidirectional: false, headers });
    return stream;
  }

  /** Resolves when the other side has answered. */
  ping(): Promise<void> {
    const id = this.#nextPingId;
    this.#nextPingId += 2;
    return new Promise((resolve) => {
      this.#pings.set(id, resolve);
      this.#send({ type: 'ping', id });
    });
  }

  /** Takes no more streams. The other side closes the connection when it is through with those that are open. */
  goAway(status: number = goAwayStatus.ok): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#send({ type: 'goaway', lastStreamId: this.#lastRemoteId, status });
  }

  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.goAway();
    this.#close(undefined);
    this.#channel[Symbol.dispose]();
  }

  #hear(chunk: Uint8Array): void {
    if (this.#closed) return;
    try {
      for (const frame of this.#reader.read(chunk)) {
        this.#handle(frame);
        if (this.#closed) return;
      }
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      this.goAway(goAwayStatus.protocolError);
      this.#close(error);
      this.#channel[Symbol.dispose]();
    }
  }

  #handle(frame: SpdyFrame): void {
    switch (frame.type) {
      case 'syn-stream':
        this.#accept(frame);
        return;
      case 'syn-reply':
        this.#streams.get(frame.streamId)?.onReply();
        this.#streams.get(frame.streamId)?.onData(nothing, frame.fin);
        return;
      case 'headers':
        this.#streams.get(frame.streamId)?.onData(nothing, frame.fin);
        return;
      case 'data':
        // The frame of a stream that was already reset was sent before the other side knew.
        this.#streams.get(frame.streamId)?.onData(frame.data, frame.fin);
        return;
      case 'rst-stream':
        this.#streams.get(frame.streamId)?.onReset();
        return;
      case 'ping':
        this.#answerPing(frame.id);
        return;
      case 'goaway':
        this.#leaving = true;
        this.#leaveWhenDone();
        return;
      case 'settings':
      case 'window-update':
        return;
    }
  }

  #accept(frame: SpdyFrame & { readonly type: 'syn-stream' }): void {
    const { streamId, headers } = frame;
    const isTheirs = streamId % 2 !== this.#nextStreamId % 2;
    if (!isTheirs || streamId <= this.#lastRemoteId) {
      this.#send({ type: 'rst-stream', streamId, status: resetStatus.protocolError });
      return;
    }
    this.#lastRemoteId = streamId;
    const { accepts = () => true, onStream } = this.#options;
    if (this.#leaving || this.#streams.size >= this.#limits.maxStreams || !accepts(headers)) {
      this.#send({ type: 'rst-stream', streamId, status: resetStatus.refusedStream });
      return;
    }
    const localEnded = frame.unidirectional;
    const stream = this.#add({ id: streamId, headers, replied: true, localEnded, remoteEnded: frame.fin });
    if (!localEnded) this.#send({ type: 'syn-reply', streamId, fin: false, headers: {} });
    onStream?.(stream);
    if (localEnded && frame.fin) this.#link.forget(streamId);
  }

  #add(parts: Omit<ConstructorParameters<typeof SpdyStream>[0], 'link'>): SpdyStream {
    const stream = new SpdyStream({ ...parts, link: this.#link });
    this.#streams.set(parts.id, stream);
    return stream;
  }

  readonly #link: StreamLink = {
    send: (frame) => this.#send(frame),
    keep: (bytes) => {
      if (bytes > 0 && this.#unheardBytes + bytes > this.#limits.maxUnheardBytes) return false;
      this.#unheardBytes += bytes;
      return true;
    },
    forget: (streamId) => {
      this.#streams.delete(streamId);
      this.#leaveWhenDone();
    },
  };

  #answerPing(id: number): void {
    const isOurs = id % 2 === this.#nextPingId % 2;
    if (!isOurs) this.#send({ type: 'ping', id });
    this.#pings.get(id)?.();
    this.#pings.delete(id);
  }

  #leaveWhenDone(): void {
    if (this.#leaving && this.#streams.size === 0) this[Symbol.dispose]();
  }

  #send(frame: SpdyFrame): void {
    if (!this.#closed) this.#channel.send(this.#writer.encode(frame));
  }

  #close(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const stream of [...this.#streams.values()]) stream.onReset();
    for (const answered of this.#pings.values()) answered();
    this.#options.onClose?.(error);
  }
}

const nothing = new Uint8Array();
