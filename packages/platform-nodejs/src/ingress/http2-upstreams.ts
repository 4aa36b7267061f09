import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { pipeline } from 'node:stream';
import { Deferred, messageOf } from '@coracle/base';
import type { HeaderPair } from '@coracle/ingress';
import { pairsOf } from './forwarded-headers.js';
import { type SendToUpstream, UpstreamError, type UpstreamRequest, type UpstreamResponse } from './upstream.js';

/** Sends requests to endpoints by HTTP/2 without TLS, which services request with the protocol `kubernetes.io/h2c`: gRPC mostly. */
export function http2Upstreams(): { readonly send: SendToUpstream } & Disposable {
  const sessions = new Map<string, Promise<ClientHttp2Session>>();
  const sessionTo = ({ endpoint, connectMs }: UpstreamRequest): Promise<ClientHttp2Session> => {
    const { address, port } = endpoint;
    const key = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
    const entry = sessions.get(key);
    if (entry !== undefined) return entry;
    const forget = () => void (sessions.get(key) === made && sessions.delete(key));
    const made = open(key, connectMs, forget);
    sessions.set(key, made);
    return made;
  };
  return {
    send: async (request) => sendBy(await sessionTo(request), request),
    [Symbol.dispose]() {
      for (const session of sessions.values())
        session.then(
          (one) => one.destroy(),
          () => undefined,
        );
      sessions.clear();
    },
  };
}

function open(url: string, connectMs: number, forget: () => void): Promise<ClientHttp2Session> {
  const connected = new Deferred<ClientHttp2Session>();
  const session = connect(url);
  session.setTimeout(connectMs, () => session.destroy(new Error('connect ETIMEDOUT')));
  session.once('connect', () => {
    session.setTimeout(0);
    connected.resolve(session);
  });
  const end = (error?: unknown) => {
    forget();
    connected.reject(new UpstreamError(messageOf(error ?? 'closed'), { untouched: true, cause: error }));
  };
  session.on('error', end);
  session.on('goaway', () => forget());
  session.on('close', () => end());
  return connected.promise;
}

async function sendBy(session: ClientHttp2Session, request: UpstreamRequest): Promise<UpstreamResponse> {
  const { method, path, fields, body, signal } = request;
  const { host, te, ...rest } = fields;
  const headers = {
    ':method': method,
    ':path': path,
    ':authority': String(host),
    ...rest,
    ...(te && { te: 'trailers' }),
  };
  if (session.closed || session.destroyed) throw new UpstreamError('the connection was closed', { untouched: true });
  const stream = session.request(headers, { endStream: body === undefined, signal });
  if (body) pipeline(body, stream, () => undefined);
  const answered = new Deferred<UpstreamResponse>();
  let trailers: HeaderPair[] = [];
  stream.on('trailers', (fields) => {
    trailers = pairsOf(fields as Record<string, string>);
  });
  stream.on('response', ({ ':status': status = 502, ...fields }) => {
    const headers = pairsOf(fields as Record<string, string>);
    answered.resolve({ status, headers, body: stream, trailers: () => trailers });
  });
  const fail = (error?: unknown) => {
    const untouched = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && body === undefined;
    answered.reject(new UpstreamError(messageOf(error ?? 'closed'), { untouched, cause: error }));
  };
  stream.on('error', fail);
  stream.on('close', () => fail());
  return answered.promise;
}
