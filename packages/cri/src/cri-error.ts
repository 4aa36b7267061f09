/** The gRPC codes that a runtime's refusals carry, by name. */
export type CriErrorCode = (typeof criErrorCodes)[number];

/** By their number in gRPC; 0 is no error. */
export const criErrorCodes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** The error of every implementation of the services. Users see its message in events and statuses. */
export class CriError extends Error {
  override readonly name: string = 'CriError';
  readonly code: CriErrorCode;

  constructor(code: CriErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** With its code, as Go's gRPC prints it: some events show errors so. */
  get rpcText(): string {
    return `rpc error: code = ${this.code} desc = ${this.message}`;
  }
}

export function isCriError(error: unknown, code: CriErrorCode): boolean {
  return error instanceof CriError && error.code === code;
}

/** As Go prints an error of a call, whatever was thrown. */
export function rpcTextOf(error: unknown): string {
  if (error instanceof CriError) return error.rpcText;
  return error instanceof Error ? error.message : String(error);
}
