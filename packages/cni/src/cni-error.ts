/** Error codes of the CNI specification; 100 and above belong to the plugin. */
export const cniErrorCodes = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidNetworkConfig: 7,
  tryAgainLater: 11,
  pluginNotAvailable: 50,
  limitedConnectivity: 51,
  noAddressAvailable: 100,
  interfaceSetupFailed: 101,
  checkFailed: 102,
} as const;

/** A failure as plugins report it: a JSON object on standard output and a non-zero exit code. */
export class CniError extends Error {
  override readonly name = 'CniError';
  readonly code: number;
  readonly details: string | undefined;

  constructor(code: number, message: string, details?: string) {
    super(message);
    this.code = code;
    this.details = details;
  }

  toJson(cniVersion: string): string {
    const { code, message: msg, details } = this;
    return JSON.stringify({ cniVersion, code, msg, ...(details && { details }) });
  }
}

/** What was thrown, as a `CniError`; one that is none already gets `code`. */
export function asCniError(error: unknown, code: number = cniErrorCodes.ioFailure): CniError {
  if (error instanceof CniError) return error;
  return new CniError(code, error instanceof Error ? error.message : String(error));
}
