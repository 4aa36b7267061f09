import type { IncomingMessage } from 'node:http';
import type { Channel } from '@coracle/apimachinery';
import { type Connect, type ConnectRequest, failureOfResponse, UpgradeRefused } from '@coracle/client';
import { WebSocket } from 'ws';
import type { ConnectionAuth } from './http-client/connection-auth.js';
import { agentFor } from './http-client/proxy-agent.js';
import { readAll } from './http-client/streaming.js';

export interface WebSocketConnectOptions {
  readonly server: URL;
  readonly auth: ConnectionAuth;
  readonly proxy?: string | undefined;
}

/** Opens channels over WebSocket. A refusal is thrown as `UpgradeRefused`, with the failure that the server sent. */
export function webSocketConnect({ server, auth, proxy }: WebSocketConnectOptions): Connect {
  return async (request) => {
    const authorization = await auth.authorize();
    const tls = { ...auth.trust, ...authorization.identity };
    const headers = { ...definedHeaders(request), ...authorization.headers } as Record<string, string>;
    const socket = new WebSocket(urlOf(server, request), [...request.protocols], {
      headers,
      ...tls,
      ...(proxy && { agent: agentFor(server, tls, proxy) }),
      maxPayload: 0,
      perMessageDeflate: false,
    });
    await opened(socket, request.signal);
    return channelOver(socket);
  };
}

function urlOf(server: URL, { path, query }: ConnectRequest): string {
  const base = server.pathname === '/' ? '' : server.pathname;
  const scheme = server.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${server.host}${base}${path}${query ? `?${query}` : ''}`;
}

function definedHeaders({ headers }: ConnectRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function opened(socket: WebSocket, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.terminate();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('open', () => {
      signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', () => socket.terminate(), { once: true });
      resolve();
    });
    // Errors of the network have codes; the others say that what was answered is no WebSocket.
    socket.on('error', (error) => reject('code' in error ? error : new UpgradeRefused(error)));
    socket.once(
      'unexpected-response',
      (_request, response) => void refusal(response).then((error) => reject(new UpgradeRefused(error)), reject),
    );
  });
}

/** What the server answered instead of switching, as a failure. */
export async function refusal(response: IncomingMessage): Promise<Error> {
  const text = new TextDecoder().decode(await readAll(response, response.headers['content-encoding']));
  return failureOfResponse({ status: response.statusCode ?? 0, headers: {}, body: parsed(text) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function channelOver(socket: WebSocket): Channel {
  socket.binaryType = 'nodebuffer';
  return {
    protocol: socket.protocol,
    send: (message) => socket.send(message),
    onMessage: (listener) => void socket.on('message', (data: Buffer) => listener(data)),
    onClose: (listener) => void socket.on('close', (code, reason) => listener(code, reason.toString())),
    [Symbol.dispose]: () => socket.close(),
  };
}
