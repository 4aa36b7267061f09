import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** One request that has reached us, by either version of HTTP. */
export type Incoming = IncomingMessage | Http2ServerRequest;
/** HTTP/2 answers have the same shape where we use it. */
export type Outgoing = ServerResponse;

export function isHttp2(incoming: Incoming): incoming is Http2ServerRequest {
  return incoming.httpVersionMajor === 2;
}
