/**
 * Where things stand in the backend. The first byte of a key says what it is:
 *
 * | key                       | value                                                     |
 * |---------------------------|-----------------------------------------------------------|
 * | `r` revision index        | the log: what the index-th operation of a revision did    |
 * | `k` key                   | what is known of a key that exists (`LiveKey`)             |
 * | `d` key                   | where in the log the key was deleted, while that is kept   |
 * | `l` lease                 | when a lease ends                                          |
 * | `a` lease key             | nothing: the key was put under the lease                   |
 * | `m` name                  | a number that the store remembers                          |
 */
export type Space = 'r' | 'k' | 'd' | 'l' | 'a' | 'm';

/** Where a record stands in the log. */
export interface Position {
  readonly revision: number;
  /** Counts the operations of one revision, from 0. */
  readonly index: number;
}

/** What is known of a key that exists, without its value. */
export interface LiveKey {
  /** Where in the log it was last put. */
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

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** UTF-8 never holds this byte, so it sorts behind every continuation of a prefix. */
const afterAnyText = 0xff;

export function textKey(space: Space, text: string): Uint8Array {
  return encoder.encode(space + text);
}

/** The text of a key that `textKey` made. */
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

export function logKey({ revision, index }: Position): Uint8Array {
  const key = new Uint8Array(13);
  const view = new DataView(key.buffer);
  key[0] = 0x72;
  writeOrdered(view, 1, revision);
  view.setUint32(9, index);
  return key;
}

export function positionOfLogKey(key: Uint8Array): Position {
  const view = viewOf(key);
  return { revision: readOrdered(view, 1), index: view.getUint32(9) };
}

/** The log from one revision (included) up to another (left out). */
export function logRange(from: number, to: number): ByteRange {
  return { start: logKey({ revision: from, index: 0 }), end: logKey({ revision: to, index: 0 }) };
}

export function leaseKey(id: number): Uint8Array {
  return numberedKey(0x6c, id, '');
}

export const leaseRange: ByteRange = { start: Uint8Array.of(0x6c), end: Uint8Array.of(0x6d) };

export function leaseIdOf(key: Uint8Array): number {
  return readOrdered(viewOf(key), 1);
}

export function attachmentKey(lease: number, key: string): Uint8Array {
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
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, revision);
  view.setUint32(8, index);
  return bytes;
}

export function decodePosition(bytes: Uint8Array): Position {
  const view = viewOf(bytes);
  return { revision: view.getFloat64(0), index: view.getUint32(8) };
}

/** position f64 u32 · createRevision f64 · version u32 · lease f64: a position can be read from the beginning. */
const liveKeyLength = 32;

export function encodeLiveKey({ position, createRevision, version, lease }: LiveKey): Uint8Array {
  const bytes = new Uint8Array(liveKeyLength);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, position.revision);
  view.setUint32(8, position.index);
  view.setFloat64(12, createRevision);
  view.setUint32(20, version);
  view.setFloat64(24, lease);
  return bytes;
}

export function decodeLiveKey(bytes: Uint8Array): LiveKey {
  const view = viewOf(bytes);
  return {
    position: { revision: view.getFloat64(0), index: view.getUint32(8) },
    createRevision: view.getFloat64(12),
    version: view.getUint32(20),
    lease: view.getFloat64(24),
  };
}

export function encodeNumber(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

export function decodeNumber(bytes: Uint8Array): number {
  return viewOf(bytes).getFloat64(0);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function numberedKey(space: number, id: number, text: string): Uint8Array {
  const suffix = encoder.encode(text);
  const key = new Uint8Array(9 + suffix.length);
  key[0] = space;
  writeOrdered(new DataView(key.buffer), 1, id);
  key.set(suffix, 9);
  return key;
}

/** Eight bytes that sort as the number does. */
function writeOrdered(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, Math.floor(value / 0x1_0000_0000));
  view.setUint32(offset + 4, value % 0x1_0000_0000);
}

function readOrdered(view: DataView, offset: number): number {
  return view.getUint32(offset) * 0x1_0000_0000 + view.getUint32(offset + 4);
}
