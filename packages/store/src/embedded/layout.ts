import {
  encodeText,
  readNumber,
  readUint32,
  ShortNumbers,
  shortLength,
  writeNumber,
  writeUint32,
} from './small-bytes.js';

/**
 * The layout of the backend. The first byte of a key is its type:
 *
 * | key                       | value                                                     |
 * |---------------------------|-----------------------------------------------------------|
 * | `r` revision index        | the log: what the index-th operation of a revision did    |
 * | `q` revision index        | what compaction left of the log: newest records of keys   |
 * | `k` key                   | the index entry of an existing key (`LiveKey`)            |
 * | `d` key                   | the deletion of the key in the log, while that is kept     |
 * | `l` lease                 | the end of a lease, and the positions of its keys          |
 * | `a` lease key             | nothing: the key was put under the lease (up to format 2)  |
 * | `m` name                  | a number of the store, such as its revision                |
 */
export type Space = 'r' | 'q' | 'k' | 'd' | 'l' | 'a' | 'm';

/** The position of a record in the log. */
export interface Position {
  readonly revision: number;
  /** Counts the operations of one revision, from 0. */
  readonly index: number;
}

/** The index entry of an existing key, without its value. */
export interface LiveKey {
  /** Position of its last put in the log. */
  readonly position: Position;
  readonly createRevision: number;
  readonly version: number;
  /** Zero for none. */
  readonly lease: number;
}

export interface ByteRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

const decoder = new TextDecoder();

/** UTF-8 never holds this byte, so it sorts behind every continuation of a prefix. */
const afterAnyText = 0xff;

export function textKey(space: Space, text: string): Uint8Array {
  return encodeText(space + text);
}

/** The text of a key made by `textKey`. */
export function textOf(key: Uint8Array): string {
  return decoder.decode(key.subarray(1));
}

/** All keys of a space that begin with `prefix` and are not before `startKey`. */
export function textRange(space: Space, prefix: string, startKey = ''): ByteRange {
  return { start: textKey(space, startKey > prefix ? startKey : prefix), end: endOf(textKey(space, prefix)) };
}

function endOf(prefix: Uint8Array): Uint8Array {
  const end = new Uint8Array(prefix.length + 1);
  end.set(prefix);
  end[prefix.length] = afterAnyText;
  return end;
}

export function logKey(position: Position): Uint8Array {
  return positionKey(0x72, position);
}

/**
 * Settled records are separate from those of the log that compaction removes: LMDB joins pages only when they are three
 * quarters empty. They are before the log, because LMDB fills the pages of the log well only at the very end.
 */
export function settledKey(position: Position): Uint8Array {
  return positionKey(0x71, position);
}

function positionKey(space: number, { revision, index }: Position): Uint8Array {
  const key = new Uint8Array(13);
  key[0] = space;
  writeNumber(key, 1, revision);
  writeUint32(key, 9, index);
  return key;
}

export function positionOfLogKey(key: Uint8Array): Position {
  return { revision: readNumber(key, 1), index: readUint32(key, 9) };
}

/** The log from one revision (included) up to another (left out). */
export function logRange(from: number, to: number): ByteRange {
  return { start: logKey({ revision: from, index: 0 }), end: logKey({ revision: to, index: 0 }) };
}

/** Settled records from one revision (included) up to another (left out). */
export function settledRange(from: number, to: number): ByteRange {
  return { start: settledKey({ revision: from, index: 0 }), end: settledKey({ revision: to, index: 0 }) };
}

export function leaseKey(id: number): Uint8Array {
  return numberedKey(0x6c, id, '');
}

export const leaseRange: ByteRange = { start: Uint8Array.of(0x6c), end: Uint8Array.of(0x6d) };

export function leaseIdOf(key: Uint8Array): number {
  return readNumber(key, 1);
}

function attachmentKey(lease: number, key: string): Uint8Array {
  return numberedKey(0x61, lease, key);
}

export function attachmentRange(lease: number): ByteRange {
  return { start: attachmentKey(lease, ''), end: attachmentKey(lease + 1, '') };
}

export function attachedKeyOf(key: Uint8Array): string {
  return decoder.decode(key.subarray(9));
}

export function encodePosition({ revision, index }: Position): Uint8Array {
  const bytes = new Uint8Array(12);
  writeNumber(bytes, 0, revision);
  writeUint32(bytes, 8, index);
  return bytes;
}

export function decodePosition(bytes: Uint8Array): Position {
  return { revision: readNumber(bytes, 0), index: readUint32(bytes, 8) };
}

/**
 * Short numbers behind this byte: revision and index of the position · revisions since the creation · version · lease.
 * Up to format 2: position u64 u32 · createRevision u64 · version u32 · lease u64, whose first byte is zero.
 */
const isShort = 1;

export function encodeLiveKey({ position: { revision, index }, createRevision, version, lease }: LiveKey): Uint8Array {
  const age = revision - createRevision;
  const bytes = new Uint8Array(1 + shortLength(revision, index, age, version, lease));
  bytes[0] = isShort;
  const numbers = new ShortNumbers(bytes, 1);
  numbers.write(revision);
  numbers.write(index);
  numbers.write(age);
  numbers.write(version);
  numbers.write(lease);
  return bytes;
}

/** Of a live key, without the rest. */
export function positionOfLiveKey(bytes: Uint8Array): Position {
  if (bytes[0] !== isShort) return decodePosition(bytes);
  const numbers = new ShortNumbers(bytes, 1);
  return { revision: numbers.read(), index: numbers.read() };
}

export function decodeLiveKey(bytes: Uint8Array): LiveKey {
  if (bytes[0] === isShort) {
    const numbers = new ShortNumbers(bytes, 1);
    const position = { revision: numbers.read(), index: numbers.read() };
    return {
      position,
      createRevision: position.revision - numbers.read(),
      version: numbers.read(),
      lease: numbers.read(),
    };
  }
  return {
    position: decodePosition(bytes),
    createRevision: readNumber(bytes, 12),
    version: readUint32(bytes, 20),
    lease: readNumber(bytes, 24),
  };
}

/** A lease: its end, and the revisions from the first to the last in which a key was put under it. */
export interface LeaseRecord {
  readonly endsAt: number;
  /** Zero for none. */
  readonly from: number;
  readonly to: number;
}

/** Up to format 2 there was the end alone. */
const leaseLength = 24;

export function encodeLease({ endsAt, from, to }: LeaseRecord): Uint8Array {
  const bytes = new Uint8Array(leaseLength);
  bytes.set(encodeNumber(endsAt));
  writeNumber(bytes, 8, from);
  writeNumber(bytes, 16, to);
  return bytes;
}

export function decodeLease(bytes: Uint8Array): LeaseRecord {
  const endsAt = decodeNumber(bytes);
  return bytes.length < leaseLength
    ? { endsAt, from: 0, to: 0 }
    : { endsAt, from: readNumber(bytes, 8), to: readNumber(bytes, 16) };
}

export function encodeNumber(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

export function decodeNumber(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat64(0);
}

function numberedKey(space: number, id: number, text: string): Uint8Array {
  const suffix = encodeText(text);
  const key = new Uint8Array(9 + suffix.length);
  key[0] = space;
  writeNumber(key, 1, id);
  key.set(suffix, 9);
  return key;
}
