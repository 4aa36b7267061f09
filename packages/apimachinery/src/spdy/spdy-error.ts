/** The other side broke the protocol: the connection cannot go on. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
