import { type NumberedCodec, readValue, tagOf, writeValue } from './field-values.js';
import { scalarCodecs } from './scalar-codecs.js';
import type { ValueCodec } from './value-codec.js';
import type { WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

type JsonObject = Record<string, unknown>;

/** Adds one entry `{ key = 1, value = 2 }` to the map. */
export function readMapEntry(
  map: JsonObject,
  codec: ValueCodec,
  { reader, end }: { readonly reader: WireReader; readonly end: number },
): void {
  const last = reader.enter(end);
  let key = '';
  let value: unknown;
  while (reader.position < last) {
    const tag = reader.varint();
    if (tag === keyTag) key = reader.text(last);
    else if (tag === tagOf(2, codec)) value = readValue(codec, reader, last);
    else reader.skip(tag % 8, last);
  }
  reader.leave(last);
  setOwn(map, key, value === undefined ? codec.empty() : value);
}

const keyTag = tagOf(1, scalarCodecs.string);

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
