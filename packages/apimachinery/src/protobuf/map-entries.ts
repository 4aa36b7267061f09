import { type NumberedCodec, readValue, writeValue } from './field-values.js';
import { scalarCodecs } from './scalar-codecs.js';
import type { ValueCodec } from './value-codec.js';
import type { WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

type JsonObject = Record<string, unknown>;

/** Adds the entry `{ key = 1, value = 2 }` that the reader is in to the map. */
export function readMapEntry(map: JsonObject, codec: ValueCodec, reader: WireReader): void {
  let key = '';
  let value: unknown;
  while (reader.position < reader.limit) {
    const number = reader.field();
    if (number === 1) key = readValue(scalarCodecs.string, reader) as string;
    else if (number === 2) value = readValue(codec, reader);
    else reader.skip();
  }
  setOwn(map, key, value === undefined ? codec.empty() : value);
}

/** Entries in the order of their keys, so that equal maps have equal bytes. */
export function writeMap(
  writer: WireWriter,
  map: JsonObject | null | undefined,
  { number, codec }: NumberedCodec,
): void {
  if (!map) return;
  for (const key of Object.keys(map).sort().reverse()) {
    const before = writer.length;
    writeValue(writer, map[key], { number: 2, codec });
    writeValue(writer, key, { number: 1, codec: scalarCodecs.string });
    writer.header(number, before);
  }
}

/** `__proto__` is a key like any other: assigned, it would change what the map is. */
function setOwn(map: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}
