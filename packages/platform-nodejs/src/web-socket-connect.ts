import type { IncomingMessage } from 'node:http';
import { type ApiResponse, type Channel, channelPair } from '@coracle/apimachinery';
import { type Connect, type ConnectRequest, failureOfResponse, UpgradeRefused } from '@coracle/client';
import { WebSocket } from 'ws';
import type { Authorization, ServerTrust } from './http-client/connection-auth.js';
import { agentFor } from './http-client/proxy-agent.js';
import { readAll } from './http-client/streaming.js';

/** How both sides of a channel authenticate each other. */
export interface ChannelAuth {
  readonly trust: ServerTrust;
  authorize(): Promise<Pick<Authorization, 'headers' | 'identity'>>;
}

export interface WebSocketConnectOptions {
  readonly server: URL;
  readonly auth: ChannelAuth;
  readonly proxy?: string | undefined;
}

/** Opens channels over WebSocket. A refusal is thrown as `UpgradeRefused`, with the failure that the server sent. */
export function webSocketConnect({ server, auth, proxy }: WebSocketConnectOptions): Connect {
  return async (request) => {
    const authorization = await auth.authorize();
    const tls = { ...auth.trust, ...authorization.identity };
    const socket = new WebSocket(urlOf(server, request), {
      headers: {
        ...definedHeaders(request),
        ...authorization.headers,
        // Not by the library, which does not take names with a slash, such as `SPDY/3.1+portforward.k8s.io`.
        'sec-websocket-protocol': request.protocols.join(', '),
      } as Record<string, string>,
      ...tls,
      ...(proxy && { agent: agentFor(server, tls, proxy) }),
      maxPayload: 0,
      perMessageDeflate: false,
    });
    return opened(socket, request);
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

function opened(socket: WebSocket, { protocols, signal }: ConnectRequest): Promise<Channel> {
  let chosen = '';
  // The library would refuse a protocol that it did not request.
  socket.once('upgrade', ({ headers }) => {
    chosen = headers['sec-websocket-protocol'] ?? '';
    delete headers['sec-websocket-protocol'];
  });
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.terminate();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('open', () => {
      signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', () => socket.terminate(), { once: true });
      // From this moment on: what comes with the answer must not be lost.
      if (protocols.includes(chosen)) resolve(channelOver(socket, chosen));
      else {
        socket.terminate();
        reject(new UpgradeRefused(new Error(`the server chose the protocol ${JSON.stringify(chosen)}`)));
      }
    });
    // Errors of the network have codes; the others say that what was answered is no WebSocket.
    socket.on('error', (error) => reject('code' in error ? error : new UpgradeRefused(error)));
    socket.once('unexpected-response', (_request, response) => void refusal(response).then(reject, reject));
  });
}

/** What the server answered instead of switching, and the failure that it means. */
export async function refusal(response: IncomingMessage): Promise<UpgradeRefused> {
  const bytes = await readAll(response, response.headers['content-encoding']);
  const body = parsed(new TextDecoder().decode(bytes));
  const status = response.statusCode ?? 0;
  return new UpgradeRefused(failureOfResponse({ status, headers: {}, body }), {
    status,
    headers: keptHeaders(response),
    body: { kind: 'bytes', chunks: [bytes] },
  });
}

/** Headers of the connection, and of how the body came over it. */
const ofTheConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'upgrade',
  'transfer-encoding',
  'content-encoding',
  'content-length',
]);

function keptHeaders({ headersDistinct }: IncomingMessage): ApiResponse['headers'] {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    const [first = '', ...more] = values;
    if (!ofTheConnection.has(name)) headers[name] = more.length > 0 ? values : first;
  }
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Buffers messages until there is a listener. */
function channelOver(socket: WebSocket, protocol: string): Channel {
  const [near, far] = channelPair(protocol);
  socket.on('message', (data: Buffer) => near.send(data));
  socket.on('close', (code, reason) => near.close(code, reason.toString()));
  near.onMessage((message) => socket.send(message));
  near.onPace((keepsUp) => (keepsUp ? socket.resume() : socket.pause()));
  near.onClose(() => {
    // The other side's farewell is read, too.
    socket.resume();
    socket.close();
  });
  return far;
}
