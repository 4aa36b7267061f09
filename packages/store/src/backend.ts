/** One change to an ordered map of bytes. `value` absent: the key is removed. */
export interface BackendWrite {
  readonly key: Uint8Array;
  readonly value?: Uint8Array;
}

export interface BackendRangeOptions {
  readonly limit?: number;
  readonly reverse?: boolean;
}

/**
 * An ordered map from bytes to bytes: the storage of the embedded store. Memory in core; LMDB in platform-nodejs.
 *
 * Bytes that it returns never change afterwards, and it never changes its arguments.
 */
export interface Backend extends AsyncDisposable {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Keys from `start` (included) up to `end` (left out), in byte order, or backwards. */
  range(start: Uint8Array, end: Uint8Array, options?: BackendRangeOptions): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** Number of keys from `start` up to `end`. */
  count(start: Uint8Array, end: Uint8Array): number;
  /**
   * Atomic, in order with other calls, and durable when the promise resolves. Reads see all of it at once, at the
   * latest then.
   */
  write(writes: readonly BackendWrite[]): Promise<void>;
  /** Size on disk, if it has files. */
  sizeBytes?(): Promise<number>;
}
