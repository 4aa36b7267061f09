import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { isStreaming } from '@coracle/client';
import type { Authorization } from './connection-auth.js';
import type { WireExchange, WireHeaders, WireOptions } from './http1-exchange.js';
import { byteStreamOf, cutConnection, isWhole, readAll } from './streaming.js';

/** Idle time after which a connection is pinged, and closed without a response. */
const pingAfterMs = 30_000;
/** How many requests a connection is given before its server has said how many it takes. */
const usualStreams = 100;

/** HTTP/2: all requests of a user share one connection, and another when it is full. */
export function http2Exchange({ server, trust }: WireOptions): WireExchange {
  const sessions = new Map<string, Set<SharedSession>>();
  const open = (key: string, identity: Authorization['identity']): SharedSession => {
    const session = connect(server.origin, { ...trust, ...identity });
    const shared = new SharedSession(session);
    const siblings = sessions.get(key) ?? new Set();
    sessions.set(key, siblings.add(shared));
    const forget = () => {
      siblings.delete(shared);
      if (siblings.size === 0 && sessions.get(key) === siblings) sessions.delete(key);
    };
    session.on('error', forget);
    session.on('close', forget);
    session.on('goaway', forget);
    session.setTimeout(pingAfterMs, () => ping(session));
    return shared;
  };
  const sessionOf = (identity: Authorization['identity']): SharedSession => {
    const key = identity.cert ?? '';
    for (const shared of sessions.get(key) ?? []) if (shared.hasRoom) return shared;
    return open(key, identity);
  };
  return {
    send: (request, { identity }, headers) => sendOnce(sessionOf(identity), request, { server, headers }),
    [Symbol.dispose]: () => {
      for (const siblings of [...sessions.values()]) for (const { session } of [...siblings]) session.destroy();
    },
  };
}

/** A connection that keeps the process alive only while requests are in flight on it. */
class SharedSession {
  readonly session: ClientHttp2Session;
  #underWay = 0;

  constructor(session: ClientHttp2Session) {
    this.session = session;
    session.unref();
  }

  /** A request beyond the limit of the server would wait until another ends, and watches do not. */
  get hasRoom(): boolean {
    const { closed, destroyed, connecting, remoteSettings } = this.session;
    if (closed || destroyed) return false;
    return this.#underWay < ((connecting ? undefined : remoteSettings.maxConcurrentStreams) ?? usualStreams);
  }

  request(headers: Record<string, string | string[]>, endStream: boolean): ClientHttp2Stream {
    const stream = this.session.request(headers, { endStream });
    this.#underWay++;
    this.session.ref();
    stream.once('close', () => {
      if (--this.#underWay === 0) this.session.unref();
    });
    return stream;
  }
}

function ping(session: ClientHttp2Session): void {
  const lost = setTimeout(() => session.destroy(new Error('the server no longer answers')), 15_000);
  const sent = session.ping((error) => {
    clearTimeout(lost);
    if (error) session.destroy(error);
  });
  if (!sent) clearTimeout(lost);
}

function sendOnce(
  session: SharedSession,
  request: ApiRequest,
  { server, headers }: { server: URL; headers: WireHeaders },
): Promise<ApiResponse> {
  const { method, path, query, body, signal } = request;
  const base = server.pathname === '/' ? '' : server.pathname;
  const { host: _host, connection: _connection, ...rest } = headers;
  return new Promise((resolve, reject) => {
    const target = `${base}${path}${query ? `?${query}` : ''}`;
    const all = { ...(rest as Record<string, string | string[]>), ':method': method, ':path': target };
    const stream = session.request(all, body === undefined);
    const onAbort = () => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    stream.on('error', reject);
    let isAnswered = false;
    stream.on('close', () => {
      signal?.removeEventListener('abort', onAbort);
      // A connection that is cut ends its streams without an error.
      if (!isAnswered) reject(cutConnection());
    });
    stream.on('response', (incoming) => {
      isAnswered = true;
      void answerOf(stream, incoming, request).then(resolve, reject);
    });
    if (body?.kind === 'bytes') stream.end(body.bytes);
  });
}

async function answerOf(
  stream: ClientHttp2Stream,
  incoming: IncomingHttpHeaders,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { ':status': code, ...rest } = incoming as IncomingHttpHeaders & { ':status'?: number };
  const status = Number(code);
  const headers = rest as ApiResponse['headers'];
  if (isStreaming(request) && status < 400)
    return { status, headers, body: { kind: 'stream', stream: byteStreamOf(stream, () => isWhole(stream)) } };
  const bytes = await readAll(stream, rest['content-encoding'], () => isWhole(stream));
  return { status, headers, body: { kind: 'bytes', chunks: [bytes] } };
}
