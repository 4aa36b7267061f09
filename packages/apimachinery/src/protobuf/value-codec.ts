import type { WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/** The encoding of one value: a scalar, or a message. */
export interface ValueCodec {
  /** Of the value itself; length-delimited ones get their length from the code that calls. */
  readonly wireType: number;
  /** Reads one value; if it is length-delimited, up to the reader's limit. `null` if it is empty. */
  read(reader: WireReader): unknown;
  /** Writes the value, without tag and length. `undefined` and `null` stand for the empty value. */
  write(writer: WireWriter, value: unknown): void;
  /** The JSON form of the empty value. */
  empty(): unknown;
}
