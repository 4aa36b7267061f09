import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream';
import { messageOf } from '@coracle/base';
import { pairsOf } from './forwarded-headers.js';
import { type SendToUpstream, UpstreamError, type UpstreamRequest } from './upstream.js';

/** Methods that may be repeated if a reused connection turns out to be closed. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Keep-alive time: backends close idle connections, most after 5 seconds or later. */
const idleMs = 4_000;

/**
 * Sends requests to endpoints over HTTP/1.1. Connections are reused for requests that can be repeated: the endpoint may
 * close one at the moment of use. All others get a new one.
 */
export function http1Upstreams(): { readonly send: SendToUpstream } & Disposable {
  const keepAliveAgent = new Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 32, scheduling: 'lifo' });
  const single = new Agent({ keepAlive: false });
  return {
    send: (request) => {
      const again = request.body === undefined && repeatable.has(request.method);
      return send(request, again ? keepAliveAgent : single);
    },
    [Symbol.dispose]() {
      keepAliveAgent.destroy();
      single.destroy();
    },
  };
}

function send(request: UpstreamRequest, agent: Agent) {
  const { endpoint, method, path, fields, body, signal } = request;
  const { promise, resolve, reject } = settled();
  const framing = body && fields['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {};
  const headers = { ...fields, ...framing };
  const outgoing = sendRequest({
    ...{ host: endpoint.address, port: endpoint.port, method, path, headers, agent, signal, setHost: false },
  });
  let connected = false;
  outgoing.on('socket', (socket) => {
    const ready = () => {
      connected = true;
      socket.setTimeout(0);
      if (body) pipeline(body, outgoing, () => undefined);
      else outgoing.end();
    };
    if (!socket.connecting) return ready();
    socket.setTimeout(request.connectMs, () => {
      if (!connected) outgoing.destroy(new Error('connect ETIMEDOUT'));
    });
    socket.once('connect', ready);
  });
  outgoing.on('response', (incoming) => resolve(responseOf(incoming)));
  // After the response has begun its body reports errors.
  outgoing.on('error', (error) => {
    const untouched = !connected || outgoing.reusedSocket;
    reject(new UpstreamError(messageOf(error), { untouched: untouched && !signal.aborted, cause: error }));
  });
  return promise;
}

function responseOf(incoming: IncomingMessage) {
  return {
    status: incoming.statusCode ?? 502,
    headers: pairsOf(incoming.rawHeaders),
    body: incoming,
    trailers: () => pairsOf(incoming.rawTrailers),
  };
}

type Response = Awaited<ReturnType<SendToUpstream>>;

function settled() {
  let resolve: (value: Response) => void = () => undefined;
  let reject: (reason: UpstreamError) => void = () => undefined;
  const promise = new Promise<Response>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
