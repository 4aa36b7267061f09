import type { KeyValue } from '../store.js';
import type { Position } from './layout.js';
import { encodeText, readNumber, readUint32, writeNumber, writeUint32 } from './small-bytes.js';

/** What one operation did to one key. */
export interface LogRecord {
  readonly key: string;
  /** Absent if the operation deleted the key. */
  readonly put?: {
    readonly createRevision: number;
    readonly version: number;
    readonly lease: number;
    readonly value: Uint8Array;
  };
  /** The operation before this one on the same key. Compaction may have removed what stood there. */
  readonly previous: Position | undefined;
}

/** deleted u8 · createRevision u64 · version u32 · lease u64 · previous u64 u32 · length of key u32 */
const headerLength = 37;
const nowhere: Position = { revision: 0, index: 0 };
const noBytes = new Uint8Array(0);

const decoder = new TextDecoder();

export function encodeRecord({ key, put, previous = nowhere }: LogRecord): Uint8Array {
  const keyBytes = encodeText(key);
  const value = put?.value ?? noBytes;
  const bytes = new Uint8Array(headerLength + keyBytes.length + value.length);
  bytes[0] = put ? 0 : 1;
  writeNumber(bytes, 1, put?.createRevision ?? 0);
  writeUint32(bytes, 9, put?.version ?? 0);
  writeNumber(bytes, 13, put?.lease ?? 0);
  writeNumber(bytes, 21, previous.revision);
  writeUint32(bytes, 29, previous.index);
  writeUint32(bytes, 33, keyBytes.length);
  bytes.set(keyBytes, headerLength);
  bytes.set(value, headerLength + keyBytes.length);
  return bytes;
}

export function decodeRecord(bytes: Uint8Array): LogRecord {
  const valueStart = headerLength + readUint32(bytes, 33);
  const key = decoder.decode(bytes.subarray(headerLength, valueStart));
  const previousRevision = readNumber(bytes, 21);
  const previous = previousRevision === 0 ? undefined : { revision: previousRevision, index: readUint32(bytes, 29) };
  if (bytes[0] === 1) return { key, previous };
  const put = {
    createRevision: readNumber(bytes, 1),
    version: readUint32(bytes, 9),
    lease: readNumber(bytes, 13),
    value: bytes.subarray(valueStart),
  };
  return { key, put, previous };
}

/** The record as readers see it, if it put a value. */
export function keyValueOf(record: LogRecord, revision: number): KeyValue | undefined {
  const { key, put } = record;
  return (
    put && {
      key,
      value: put.value,
      createRevision: put.createRevision,
      modRevision: revision,
      version: put.version,
      lease: put.lease,
    }
  );
}

/** What an event says of a key that was deleted. */
export function deletedKeyValue(key: string, revision: number): KeyValue {
  return { key, value: noBytes, createRevision: 0, modRevision: revision, version: 0, lease: 0 };
}
