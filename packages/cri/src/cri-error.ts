/** The gRPC codes that a runtime's refusals carry, by name. */
export type CriErrorCode =
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Unimplemented'
  | 'Unavailable'
  | 'Unknown';

/** What every implementation of the services rejects with. The message is what users see in events and statuses. */
export class CriError extends Error {
  override readonly name: string = 'CriError';
  readonly code: CriErrorCode;

  constructor(code: CriErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isCriError(error: unknown, code: CriErrorCode): boolean {
  return error instanceof CriError && error.code === code;
}
