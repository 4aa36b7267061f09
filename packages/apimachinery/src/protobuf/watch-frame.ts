import { malformed, WireReader } from './wire-reader.js';
import { WireType, WireWriter } from './wire-writer.js';

/** One event of a watch; the object is in its envelope. */
export interface WatchFrame {
  readonly type: string;
  readonly object: Uint8Array;
}

/** Frames that are longer are refused: no object may be so large. */
const maxFrameBytes = 16 * 1024 * 1024;

/** A `metav1.WatchEvent { type = 1, object = 2 { raw = 1 } }` behind its length in four bytes, the first the highest. */
export function encodeWatchFrame({ type, object }: WatchFrame): Uint8Array {
  const writer = new WireWriter(object.length + type.length + 32);
  writer.raw(object);
  writer.header(1, 0);
  writer.header(2, 0);
  const beforeType = writer.length;
  writer.text(type);
  writer.header(1, beforeType);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, writer.length);
  writer.raw(length);
  return writer.finish();
}

/** Puts a stream of bytes together into the frames in it. */
export class WatchFrameReader {
  #pending = new Uint8Array();

  /** The frames that are complete with this chunk. */
  push(chunk: Uint8Array): WatchFrame[] {
    this.#pending = joined(this.#pending, chunk);
    const frames: WatchFrame[] = [];
    for (;;) {
      if (this.#pending.length < 4) return frames;
      const size = new DataView(this.#pending.buffer, this.#pending.byteOffset).getUint32(0);
      if (size > maxFrameBytes) throw malformed(`a frame of ${size} bytes is too long`);
      if (this.#pending.length < 4 + size) return frames;
      frames.push(decodeFrame(this.#pending.subarray(4, 4 + size)));
      this.#pending = this.#pending.subarray(4 + size);
    }
  }
}

function decodeFrame(bytes: Uint8Array): WatchFrame {
  const reader = new WireReader(bytes);
  let type = '';
  let object: Uint8Array = new Uint8Array();
  while (reader.position < reader.limit) {
    const number = reader.field();
    if (reader.wireType !== WireType.bytes) reader.skip();
    else if (number === 1) type = reader.text();
    else if (number === 2) object = readRaw(reader);
    else reader.skip();
  }
  return { type, object };
}

function readRaw(reader: WireReader): Uint8Array {
  const outer = reader.enter();
  let raw: Uint8Array = new Uint8Array();
  while (reader.position < reader.limit) {
    if (reader.field() === 1 && reader.wireType === WireType.bytes) raw = reader.slice();
    else reader.skip();
  }
  reader.leave(outer);
  return raw;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
