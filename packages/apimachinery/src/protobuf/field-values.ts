import type { ValueCodec } from './value-codec.js';
import { malformed, type WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

export function tagOf(number: number, { wireType }: ValueCodec): number {
  return number * 8 + wireType;
}

/** Reads one occurrence of a repeated field: one item, or many where numbers are packed. */
export function readInto(
  list: unknown[],
  codec: ValueCodec,
  at: { readonly reader: WireReader; readonly wireType: number; readonly end: number },
): void {
  const { reader, wireType, end } = at;
  if (wireType === codec.wireType) {
    list.push(readValue(codec, reader, end));
    return;
  }
  if (wireType !== WireType.bytes) throw malformed(`wrong wire type ${wireType} for an item of a list`);
  const last = reader.enter(end);
  while (reader.position < last) list.push(codec.read(reader, last));
  reader.leave(last);
}

/** Reads a value whose tag has been read. */
export function readValue(codec: ValueCodec, reader: WireReader, limit: number): unknown {
  if (codec.wireType !== WireType.bytes) return codec.read(reader, limit);
  const end = reader.enter(limit);
  const value = codec.read(reader, end);
  reader.leave(end);
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
