/** A protocol error of the other side, which ends the connection. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
