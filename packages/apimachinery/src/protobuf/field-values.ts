import type { ValueCodec } from './value-codec.js';
import { malformed, type WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

/** Reads one occurrence of a repeated field: one item, or many where numbers are packed. */
export function readInto(list: unknown[], codec: ValueCodec, reader: WireReader): void {
  if (reader.wireType === codec.wireType) {
    list.push(readValue(codec, reader));
    return;
  }
  if (reader.wireType !== WireType.bytes) throw malformed(`wrong wire type ${reader.wireType} for an item of a list`);
  const outer = reader.enter();
  while (reader.position < reader.limit) list.push(codec.read(reader));
  reader.leave(outer);
}

/** Reads the value of the field that the reader is at. */
export function readValue(codec: ValueCodec, reader: WireReader): unknown {
  if (reader.wireType !== codec.wireType) throw malformed(`wrong wire type ${reader.wireType}`);
  if (codec.wireType !== WireType.bytes) return codec.read(reader);
  const outer = reader.enter();
  const value = codec.read(reader);
  reader.leave(outer);
  return value;
}

export interface NumberedCodec {
  readonly number: number;
  readonly codec: ValueCodec;
}

export function writeList(writer: WireWriter, list: readonly unknown[] | null | undefined, field: NumberedCodec): void {
  if (!list) return;
  for (let i = list.length - 1; i >= 0; i--) writeValue(writer, list[i], field);
}

export function writeValue(writer: WireWriter, value: unknown, { number, codec }: NumberedCodec): void {
  const before = writer.length;
  codec.write(writer, value);
  if (codec.wireType === WireType.bytes) writer.header(number, before);
  else writer.tag(number, codec.wireType);
}
