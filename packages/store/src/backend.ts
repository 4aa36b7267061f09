/** One change to an ordered map of bytes. `value` absent: the key is removed. */
export interface BackendWrite {
  readonly key: Uint8Array;
  readonly value?: Uint8Array;
}

/**
 * An ordered map from bytes to bytes: what the embedded store keeps its history in.
 * Memory in core; LMDB in platform-nodejs.
 */
export interface Backend extends AsyncDisposable {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Keys from `start` (included) up to `end` (left out), in byte order. */
  range(
    start: Uint8Array,
    end: Uint8Array,
    options?: { readonly limit?: number; readonly reverse?: boolean },
  ): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** All or nothing, in order with other calls, and durable when the promise resolves. Reads see it at once. */
  write(writes: readonly BackendWrite[]): Promise<void>;
}
