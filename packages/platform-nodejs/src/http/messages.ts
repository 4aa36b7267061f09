import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** A received request, with either version of HTTP. */
export type Incoming = IncomingMessage | Http2ServerRequest;
/** HTTP/2 responses have the same interface, as far as it is used. */
export type Outgoing = ServerResponse;

export function isHttp2(incoming: Incoming): incoming is Http2ServerRequest {
  return incoming.httpVersionMajor === 2;
}
