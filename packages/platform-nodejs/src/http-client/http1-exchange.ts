import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { isStreaming } from '@coracle/client';
import type { Authorization, ServerTrust } from './connection-auth.js';
import { agentFor } from './proxy-agent.js';
import { byteStreamOf, readAll } from './streaming.js';

/** Sends one request that has its credentials. */
export interface WireExchange extends Disposable {
  send(request: ApiRequest, authorization: Authorization, headers: WireHeaders): Promise<ApiResponse>;
}

export type WireHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface WireOptions {
  readonly server: URL;
  readonly trust: ServerTrust;
  readonly proxy?: string | undefined;
}

/** HTTP/1.1: one connection for each request in flight, which is reused. */
export function http1Exchange({ server, trust, proxy }: WireOptions): WireExchange {
  /** One agent for each client certificate: sockets with different ones are different users. */
  const agents = new Map<string, Agent>();
  const agentOf = (identity: Authorization['identity']): Agent => {
    const key = identity.cert ?? '';
    const entry = agents.get(key);
    if (entry) return entry;
    const agent = agentFor(server, { ...trust, ...identity }, proxy);
    agents.set(key, agent);
    return agent;
  };
  return {
    send: (request, { identity }, headers) => sendOnce(server, request, { agent: agentOf(identity), headers }),
    [Symbol.dispose]: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function sendOnce(
  server: URL,
  request: ApiRequest,
  { agent, headers }: { agent: Agent; headers: WireHeaders },
): Promise<ApiResponse> {
  const { method, path, query, body, signal } = request;
  const base = server.pathname === '/' ? '' : server.pathname;
  const begin = server.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = begin({
      agent,
      method,
      protocol: server.protocol,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || (server.protocol === 'https:' ? 443 : 80),
      path: `${base}${path}${query ? `?${query}` : ''}`,
      headers: headers as Record<string, string | string[]>,
      ...(signal && { signal }),
    });
    outgoing.on('error', (error) => reject(signal?.aborted ? (signal.reason ?? error) : error));
    outgoing.on('response', (incoming) => void answerOf(incoming, request).then(resolve, reject));
    outgoing.end(body?.kind === 'bytes' ? body.bytes : undefined);
  });
}

async function answerOf(incoming: IncomingMessage, request: ApiRequest): Promise<ApiResponse> {
  const status = incoming.statusCode ?? 0;
  const headers = splitHeaders(incoming);
  if (isStreaming(request) && status < 400)
    return { status, headers, body: { kind: 'stream', stream: byteStreamOf(incoming) } };
  const bytes = await readAll(incoming, incoming.headers['content-encoding']);
  return { status, headers, body: { kind: 'bytes', chunks: [bytes] } };
}

/** Node.js joins repeated headers; warnings must stay separate. */
function splitHeaders(incoming: IncomingMessage): ApiResponse['headers'] {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(incoming.headersDistinct))
    headers[name] = values.length === 1 ? (values[0] as string) : values;
  return headers;
}
