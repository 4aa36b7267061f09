import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type ApiResponse, writeJson } from '@coracle/apimachinery';
import type { DialAddress, OutboundRequest } from '@coracle/apiserver';
import { byteStreamOf, isWhole } from '../http-client/streaming.js';
import { dialError } from './dial-error.js';
import { definedHeaders, hostHeader } from './outgoing-headers.js';
import { tlsOptions } from './tls-options.js';

/** An idle connection is closed after this long. */
const idleMs = 30_000;

/** Sends requests to HTTP/2-only servers. Requests to one address share a connection. */
export class Http2Requests implements Disposable {
  readonly #sessions = new Map<string, ClientHttp2Session>();

  send(to: DialAddress, request: OutboundRequest): Promise<ApiResponse> {
    const { body, signal } = request;
    return new Promise((resolve, reject) => {
      const session = this.#sessionOf(to);
      // The error that ends a connection is the cause of the errors of its streams.
      const fail = (error: Error) =>
        reject(signal?.aborted ? signal.reason : dialError(error.cause instanceof Error ? error.cause : error, to));
      session.once('error', fail);
      const stream = session.request(headersOf(to, request), { endStream: body === undefined });
      const onAbort = () => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      stream.on('error', fail);
      stream.on('response', (headers) => resolve(answerOf(stream, headers)));
      stream.on('close', () => {
        signal?.removeEventListener('abort', onAbort);
        session.off('error', fail);
        // The connection ended without a response.
        fail(new Error('the server closed the stream without a response'));
      });
      if (body) stream.end(body.kind === 'bytes' ? body.bytes : writeJson(body.value));
    });
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }

  #sessionOf(to: DialAddress): ClientHttp2Session {
    const key = JSON.stringify(to);
    const entry = this.#sessions.get(key);
    if (entry && !entry.closed && !entry.destroyed) return entry;
    const session = connect(`https://${hostHeader(to)}`, { ...tlsOptions(to), host: to.host, port: to.port });
    this.#sessions.set(key, session);
    const forget = () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    };
    for (const event of ['error', 'close', 'goaway'] as const) session.on(event, forget);
    session.setTimeout(idleMs, () => session.close());
    return session;
  }
}

function headersOf(
  to: DialAddress,
  { method, path, query, headers }: OutboundRequest,
): Record<string, string | string[]> {
  const { host: _host, connection: _connection, ...others } = definedHeaders(headers);
  return {
    ...others,
    ':method': method,
    ':path': query === '' ? path : `${path}?${query}`,
    ':authority': hostHeader(to),
  };
}

function answerOf(stream: ClientHttp2Stream, answered: Readonly<Record<string, unknown>>): ApiResponse {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(answered))
    if (!name.startsWith(':')) headers[name] = Array.isArray(value) ? value.map(String) : String(value);
  return {
    status: Number(answered[':status']),
    headers,
    body: { kind: 'stream', stream: byteStreamOf(stream, () => isWhole(stream)) },
  };
}
