import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type ApiResponse, writeJson } from '@coracle/apimachinery';
import type { DialAddress, Dialer, OutboundRequest } from '@coracle/apiserver';
import { byteStreamOf } from '../http-client/streaming.js';
import { dialChannel } from './dial-channel.js';
import { dialError, isStaleConnection, refusesProtocol } from './dial-error.js';
import { Http2Requests } from './http2-requests.js';
import { definedHeaders, hostHeader } from './outgoing-headers.js';
import { tlsOptions } from './tls-options.js';

/** Maximum number of destinations with open connections. */
const mostAgents = 200;
/** An idle connection is closed after this long. */
const idleMs = 30_000;
const maxHeaderBytes = 64 * 1024;

type Agent = HttpAgent | HttpsAgent;

/**
 * Opens connections over HTTP and HTTPS, and reuses them. Disposing it closes them. It uses HTTP/1.1, and HTTP/2 with
 * servers that support only that.
 */
export function createDialer(): Dialer & Disposable {
  /** By the properties that two requests must share to use one connection; the most recently used is last. */
  const agents = new Map<string, Agent>();
  const agentFor = (to: DialAddress): Agent => {
    const key = JSON.stringify(to);
    const agent = agents.get(key) ?? createAgent(to);
    agents.delete(key);
    agents.set(key, agent);
    for (const [oldest, idle] of agents) {
      if (agents.size <= mostAgents) break;
      agents.delete(oldest);
      idle.destroy();
    }
    return agent;
  };
  const http2 = new Http2Requests();
  /** Addresses whose servers do not support HTTP/1.1. */
  const http2Only = new Set<string>();
  const send = (to: DialAddress, request: OutboundRequest) =>
    http2Only.has(JSON.stringify(to)) ? http2.send(to, request) : sendOnce(to, request, agentFor(to));
  return {
    request: (to, request) =>
      send(to, request).catch((error: unknown) => {
        if (refusesProtocol(error)) {
          if (http2Only.size >= mostAgents) http2Only.clear();
          http2Only.add(JSON.stringify(to));
          return send(to, request);
        }
        // It was closed while it was idle; the server has not seen the request.
        if (isStaleConnection(error)) return send(to, request);
        throw error;
      }),
    connect: dialChannel,
    [Symbol.dispose]: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
      http2[Symbol.dispose]();
    },
  };
}

function createAgent(to: DialAddress): Agent {
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: 32 };
  if (to.scheme === 'http') return new HttpAgent(options);
  // Offered in the handshake, so that an HTTP/2-only server rejects it there.
  return new HttpsAgent({ ...options, ...tlsOptions(to), ALPNProtocols: ['http/1.1'] });
}

function sendOnce(to: DialAddress, request: OutboundRequest, agent: Agent): Promise<ApiResponse> {
  const { body, signal } = request;
  const begin = to.scheme === 'https' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = begin(requestOptions(to, request, agent));
    outgoing.on('error', (error) =>
      reject(signal?.aborted ? signal.reason : dialError(error, to, { reused: outgoing.reusedSocket })),
    );
    outgoing.on('response', (incoming) => resolve(answerOf(incoming)));
    // No upgrade was requested.
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(dialError(new Error('the server switched protocols without a request to upgrade'), to));
    });
    outgoing.end(body?.kind === 'bytes' ? body.bytes : body && writeJson(body.value));
  });
}

function requestOptions(to: DialAddress, request: OutboundRequest, agent: Agent): RequestOptions {
  const { method, path, query, headers, body, signal } = request;
  return {
    agent,
    method,
    host: to.host,
    port: to.port,
    path: query === '' ? path : `${path}?${query}`,
    maxHeaderSize: maxHeaderBytes,
    headers: {
      ...definedHeaders(headers),
      host: hostHeader(to),
      ...(body?.kind === 'bytes' && { 'content-length': String(body.bytes.length) }),
    },
    ...(signal && { signal }),
  };
}

/** Hop-by-hop headers. */
const ofTheConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function answerOf(incoming: IncomingMessage): ApiResponse {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(incoming.headersDistinct))
    if (!ofTheConnection.has(name)) headers[name] = values.length === 1 ? (values[0] as string) : values;
  return {
    status: incoming.statusCode ?? 0,
    headers,
    body: { kind: 'stream', stream: byteStreamOf(incoming) },
  };
}
