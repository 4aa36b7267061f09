import type { KeyValue } from '../store.js';
import type { Position } from './layout.js';
import { encodeText, readNumber, readUint32, ShortNumbers, shortLength } from './small-bytes.js';

/** One operation on one key. */
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

/**
 * The first byte of a record. Short numbers follow: createRevision · version · lease · revision and index of the one
 * before · length of the key; behind these the key, and the value.
 */
const kinds = { put: 2, deletion: 3 } as const;

/** Up to format 2: deleted u8, 0 or 1 · createRevision u64 · version u32 · lease u64 · previous u64 u32 · length of key u32 */
const oldHeaderLength = 37;
const nowhere: Position = { revision: 0, index: 0 };
const noBytes = new Uint8Array(0);

const decoder = new TextDecoder();

export function encodeRecord({ key, put, previous = nowhere }: LogRecord): Uint8Array {
  const keyBytes = encodeText(key);
  const { createRevision = 0, version = 0, lease = 0, value = noBytes } = put ?? {};
  const header = shortLength(createRevision, version, lease, previous.revision, previous.index, keyBytes.length);
  const bytes = new Uint8Array(1 + header + keyBytes.length + value.length);
  bytes[0] = put ? kinds.put : kinds.deletion;
  const numbers = new ShortNumbers(bytes, 1);
  numbers.write(createRevision);
  numbers.write(version);
  numbers.write(lease);
  numbers.write(previous.revision);
  numbers.write(previous.index);
  numbers.write(keyBytes.length);
  bytes.set(keyBytes, numbers.at);
  bytes.set(value, numbers.at + keyBytes.length);
  return bytes;
}

export function decodeRecord(bytes: Uint8Array): LogRecord {
  const kind = bytes[0] as number;
  if (kind < kinds.put) return decodeOldRecord(bytes);
  const numbers = new ShortNumbers(bytes, 1);
  const createRevision = numbers.read();
  const version = numbers.read();
  const lease = numbers.read();
  const before = { revision: numbers.read(), index: numbers.read() };
  const keyLength = numbers.read();
  const valueStart = numbers.at + keyLength;
  const key = decoder.decode(bytes.subarray(numbers.at, valueStart));
  const previous = before.revision === 0 ? undefined : before;
  if (kind === kinds.deletion) return { key, previous };
  return { key, put: { createRevision, version, lease, value: bytes.subarray(valueStart) }, previous };
}

function decodeOldRecord(bytes: Uint8Array): LogRecord {
  const valueStart = oldHeaderLength + readUint32(bytes, 33);
  const key = decoder.decode(bytes.subarray(oldHeaderLength, valueStart));
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

/** The event of a deleted key. */
export function deletedKeyValue(key: string, revision: number): KeyValue {
  return { key, value: noBytes, createRevision: 0, modRevision: revision, version: 0, lease: 0 };
}
