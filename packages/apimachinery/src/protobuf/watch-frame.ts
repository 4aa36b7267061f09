import { tagOf } from './field-values.js';
import { scalarCodecs } from './scalar-codecs.js';
import { malformed, WireReader } from './wire-reader.js';
import { WireWriter } from './wire-writer.js';

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

const text = scalarCodecs.string;

function decodeFrame(bytes: Uint8Array): WatchFrame {
  const reader = new WireReader(bytes);
  let type = '';
  let object: Uint8Array = new Uint8Array();
  while (reader.position < bytes.length) {
    const tag = reader.varint();
    if (tag === tagOf(1, text)) type = reader.text(bytes.length);
    else if (tag === tagOf(2, text)) object = readRaw(reader, bytes.length);
    else reader.skip(tag % 8, bytes.length);
  }
  return { type, object };
}

function readRaw(reader: WireReader, limit: number): Uint8Array {
  const end = reader.enter(limit);
  let raw: Uint8Array = new Uint8Array();
  while (reader.position < end) {
    const tag = reader.varint();
    if (tag === tagOf(1, text)) raw = reader.slice(reader.end(end));
    else reader.skip(tag % 8, end);
  }
  reader.leave(end);
  return raw;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
