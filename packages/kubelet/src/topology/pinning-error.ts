/** A container cannot have the CPUs or the memory that it requests in the way that the node's policies demand. */
export class PinningError extends Error {
  override readonly name = 'PinningError';
  /** Of the pod's failure. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
