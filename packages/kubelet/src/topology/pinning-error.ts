/** A container cannot get its CPUs or memory according to the policies of the node. */
export class PinningError extends Error {
  override readonly name = 'PinningError';
  /** Reason of the pod's failure. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
