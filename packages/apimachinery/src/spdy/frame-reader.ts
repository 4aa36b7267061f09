import { concatBytes } from '@coracle/base';
import { controlTypes, frameFlags, frameHeadBytes, type SpdyFrame, spdyVersion } from './frames.js';
import { decodeHeaders, type SpdyHeaders } from './header-block.js';
import { HeaderInflater } from './inflate.js';
import { SpdyError } from './spdy-error.js';

export interface FrameLimits {
  /** The largest control frame; headers are most of it. */
  readonly maxControlBytes: number;
  readonly maxDataBytes: number;
  /** Maximum size of the inflated headers of one frame. */
  readonly maxHeaderBytes: number;
}

/** Far more than exec and port-forward need. Go's side sends data in frames of 32 KiB. */
export const defaultFrameLimits: FrameLimits = {
  maxControlBytes: 64 * 1024,
  maxDataBytes: 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
};

const typesByNumber = new Map<number, keyof typeof controlTypes>(
  Object.entries(controlTypes).map(([name, number]) => [number, name as keyof typeof controlTypes]),
);
const streamIdMask = 0x7fff_ffff;

/** Decodes the frames of one direction from bytes in chunks of any size. Throws a `SpdyError` at what is no frame. */
export class FrameReader {
  readonly #limits: FrameLimits;
  readonly #inflater: HeaderInflater;
  #chunks: Uint8Array[] = [];
  #held = 0;

  constructor(limits: FrameLimits = defaultFrameLimits) {
    this.#limits = limits;
    this.#inflater = new HeaderInflater(limits.maxHeaderBytes);
  }

  /** The frames that are complete with this chunk. Unknown types are left out, as the protocol requires. */
  *read(chunk: Uint8Array): Iterable<SpdyFrame> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= frameHeadBytes) {
      const size = frameHeadBytes + this.#payloadSize();
      if (this.#held < size) return;
      const frame = this.#decode(this.#take(size));
      if (frame) yield frame;
    }
  }

  /** Checked before the payload arrives, so that a peer cannot make the reader wait for one that is too large. */
  #payloadSize(): number {
    const view = viewOf(this.#peek(frameHeadBytes));
    const isControl = view.getUint8(0) >= 0x80;
    const size = view.getUint32(4) & 0xffffff;
    const most = isControl ? this.#limits.maxControlBytes : this.#limits.maxDataBytes;
    if (size > most) throw new SpdyError(`a frame of ${size} bytes is too large`);
    return size;
  }

  #decode(bytes: Uint8Array): SpdyFrame | undefined {
    const view = viewOf(bytes);
    const word = view.getUint32(0);
    const fin = (view.getUint8(4) & frameFlags.fin) !== 0;
    if (word < 0x8000_0000) return { type: 'data', streamId: word, fin, data: bytes.subarray(frameHeadBytes) };
    const version = (word >>> 16) & 0x7fff;
    if (version !== spdyVersion) throw new SpdyError(`a frame has version ${version}`);
    const type = typesByNumber.get(word & 0xffff);
    return type && this.#decodeControl(type, bytes, fin);
  }

  #decodeControl(type: keyof typeof controlTypes, bytes: Uint8Array, fin: boolean): SpdyFrame {
    const view = viewOf(bytes);
    const first = wordAt(view, 0);
    const streamId = first & streamIdMask;
    switch (type) {
      case 'syn-stream': {
        const unidirectional = (view.getUint8(4) & frameFlags.unidirectional) !== 0;
        return { type, streamId, fin, unidirectional, headers: this.#headersFrom(bytes, 10) };
      }
      case 'syn-reply':
      case 'headers':
        return { type, streamId, fin, headers: this.#headersFrom(bytes, 4) };
      case 'rst-stream':
        return { type, streamId, status: wordAt(view, 1) };
      case 'settings':
        return { type, settings: settingsOf(view, first) };
      case 'ping':
        return { type, id: first };
      case 'goaway':
        return { type, lastStreamId: streamId, status: wordAt(view, 1) };
      case 'window-update':
        return { type, streamId, delta: wordAt(view, 1) & streamIdMask };
    }
  }

  #headersFrom(bytes: Uint8Array, offset: number): SpdyHeaders {
    return decodeHeaders(this.#inflater.inflate(bytes.subarray(frameHeadBytes + offset)));
  }

  #peek(size: number): Uint8Array {
    const [first = new Uint8Array()] = this.#chunks;
    if (first.length >= size) return first;
    this.#join();
    return this.#chunks[0] ?? first;
  }

  #take(size: number): Uint8Array {
    const first = this.#peek(size);
    this.#held -= size;
    const rest = first.subarray(size);
    if (rest.length > 0) this.#chunks[0] = rest;
    else this.#chunks.shift();
    return first.subarray(0, size);
  }

  #join(): void {
    this.#chunks = [concatBytes(this.#chunks)];
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wordAt(view: DataView, index: number): number {
  const offset = frameHeadBytes + index * 4;
  if (offset + 4 > view.byteLength) throw new SpdyError('a control frame is truncated');
  return view.getUint32(offset);
}

function settingsOf(view: DataView, count: number) {
  if (frameHeadBytes + 4 + count * 8 > view.byteLength) throw new SpdyError('a control frame is truncated');
  return Array.from({ length: count }, (_, index) => {
    const head = wordAt(view, 1 + index * 2);
    return { id: head & 0xffffff, flags: head >>> 24, value: wordAt(view, 2 + index * 2) };
  });
}
