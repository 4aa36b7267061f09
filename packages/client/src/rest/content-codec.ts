import type { GroupVersionKind } from '@coracle/apimachinery';

/** A content type other than JSON that a server supports for some kinds. */
export interface ContentCodec {
  readonly mediaType: string;
  knows(kind: GroupVersionKind): boolean;
  encode(object: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
  /** Decodes the events of a watch in this encoding. */
  watchReader(onEvent: (event: unknown) => void): EventReader;
}

/** Decodes a stream of bytes, in chunks of any size, into events. */
export interface EventReader {
  push(chunk: Uint8Array): void;
  /** An error if the stream ended in the middle of an event. */
  unfinished(): Error | undefined;
}

export function brokenOff(): Error {
  return new Error('the watch ended in the middle of an event');
}
