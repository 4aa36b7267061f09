export type StoreErrorCode =
  /** The requested revision is compacted. */
  | 'Compacted'
  /** The revision requested does not exist yet. */
  | 'FutureRevision'
  /** The write may or may not have happened: the connection was lost, or the response timed out. */
  | 'Unavailable'
  | 'LeaseNotFound'
  /** The value or the transaction exceeds the limits of the store. */
  | 'TooLarge'
  /** The disk is full. */
  | 'NoSpace'
  | 'Closed'
  /** Data on disk is damaged. */
  | 'Corrupt';

/** A failure of the store. The API server turns it into a Status, by verb, in one place. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly code: StoreErrorCode;
  /** With `Compacted`: the oldest revision that can still be read. */
  readonly compactRevision?: number;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions & { readonly compactRevision?: number }) {
    super(message, options);
    this.code = code;
    if (options?.compactRevision !== undefined) this.compactRevision = options.compactRevision;
  }

  static is(error: unknown, code?: StoreErrorCode): error is StoreError {
    return (
      error instanceof Error &&
      error.name === 'StoreError' &&
      (code === undefined || (error as StoreError).code === code)
    );
  }
}
