import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { spdyPrefix } from '@coracle/apimachinery';
import type { Connect, ConnectRequest } from '@coracle/client';
import { agentFor } from './http-client/proxy-agent.js';
import { socketChannel } from './http-client/socket-channel.js';
import { refusal, type WebSocketConnectOptions } from './web-socket-connect.js';

const spdyName = 'SPDY/3.1';

/** Opens channels that carry the bytes of a SPDY connection. Rejections are thrown as `UpgradeRefused`. */
export function spdyConnect({ server, auth, proxy }: WebSocketConnectOptions): Connect {
  return async (request) => {
    const authorization = await auth.authorize();
    const agent = agentFor(server, { ...auth.trust, ...authorization.identity }, proxy);
    try {
      const headers = { ...request.headers, ...authorization.headers } as OutgoingHttpHeaders;
      const { protocol, socket } = await switchProtocols(server, request, { agent, headers });
      request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
      return socketChannel(protocol, socket);
    } finally {
      // An upgraded connection no longer belongs to the agent.
      agent.destroy();
    }
  };
}

interface Switched {
  readonly protocol: string;
  readonly socket: Duplex;
}

function switchProtocols(
  server: URL,
  { path, query, protocols, signal }: ConnectRequest,
  { agent, headers }: { agent: ReturnType<typeof agentFor>; headers: OutgoingHttpHeaders },
): Promise<Switched> {
  const begin = server.protocol === 'https:' ? httpsRequest : httpRequest;
  const base = server.pathname === '/' ? '' : server.pathname;
  return new Promise((resolve, reject) => {
    const outgoing = begin({
      agent,
      method: 'POST',
      protocol: server.protocol,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || (server.protocol === 'https:' ? 443 : 80),
      path: `${base}${path}${query ? `?${query}` : ''}`,
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: spdyName,
        'content-length': 0,
        'x-stream-protocol-version': protocols.map((name) => name.slice(spdyPrefix.length)),
      },
      ...(signal && { signal }),
    });
    outgoing.on('error', (error) => reject(signal?.aborted ? (signal.reason ?? error) : error));
    outgoing.on('upgrade', (answer, socket, head) => {
      // Data that came with the response is delivered first.
      if (head.length > 0) socket.unshift(head);
      resolve({ protocol: spdyPrefix + chosenIn(answer, protocols), socket });
    });
    outgoing.on('response', (answer) => void refusal(answer).then(reject, reject));
    outgoing.end();
  });
}

/** Servers that choose none use the oldest. */
function chosenIn({ headers }: IncomingMessage, protocols: readonly string[]): string {
  const chosen = headers['x-stream-protocol-version'];
  return typeof chosen === 'string' ? chosen : (protocols.at(-1) ?? '').slice(spdyPrefix.length);
}
