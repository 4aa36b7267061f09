import type { KeyValue } from '../store.js';
import { type Position, viewOf } from './layout.js';

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

/** deleted u8 · createRevision f64 · version u32 · lease f64 · previous f64 u32 · length of key u32 */
const headerLength = 37;
const nowhere: Position = { revision: 0, index: 0 };
const noBytes = new Uint8Array(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeRecord({ key, put, previous = nowhere }: LogRecord): Uint8Array {
  const keyBytes = encoder.encode(key);
  const value = put?.value ?? noBytes;
  const bytes = new Uint8Array(headerLength + keyBytes.length + value.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, put ? 0 : 1);
  view.setFloat64(1, put?.createRevision ?? 0);
  view.setUint32(9, put?.version ?? 0);
  view.setFloat64(13, put?.lease ?? 0);
  view.setFloat64(21, previous.revision);
  view.setUint32(29, previous.index);
  view.setUint32(33, keyBytes.length);
  bytes.set(keyBytes, headerLength);
  bytes.set(value, headerLength + keyBytes.length);
  return bytes;
}

export function decodeRecord(bytes: Uint8Array): LogRecord {
  const view = viewOf(bytes);
  const valueStart = headerLength + view.getUint32(33);
  const key = decoder.decode(bytes.subarray(headerLength, valueStart));
  const previousRevision = view.getFloat64(21);
  const previous = previousRevision === 0 ? undefined : { revision: previousRevision, index: view.getUint32(29) };
  if (view.getUint8(0) === 1) return { key, previous };
  const put = {
    createRevision: view.getFloat64(1),
    version: view.getUint32(9),
    lease: view.getFloat64(13),
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
