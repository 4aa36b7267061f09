import { readInto, writeList } from './field-values.js';
import type { ValueCodec } from './value-codec.js';
import type { WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

/** A list as the value of a map, which protobuf wraps in a message: `ExtraValue { items = 1 }`. */
export class ListCodec implements ValueCodec {
  readonly wireType = WireType.bytes;
  readonly #items: ValueCodec;

  constructor(items: ValueCodec) {
    this.#items = items;
  }

  read(reader: WireReader): unknown[] {
    const list: unknown[] = [];
    while (reader.position < reader.limit) {
      if (reader.field() === 1) readInto(list, this.#items, reader);
      else reader.skip();
    }
    return list;
  }

  write(writer: WireWriter, value: unknown): void {
    writeList(writer, value as readonly unknown[] | null | undefined, { number: 1, codec: this.#items });
  }

  empty(): null {
    return null;
  }
}
