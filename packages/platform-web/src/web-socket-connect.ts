import type { Channel, Connect } from '@coracle/client';

/** The part of a browser's `WebSocket` that is used. */
export interface WebSocketLike {
  readonly protocol: string;
  binaryType: string;
  send(data: Uint8Array): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

/** Opens a `WebSocket`; a browser's own, or one of a library. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

export interface WebSocketConnectOptions {
  readonly server: string;
  readonly WebSocket: WebSocketConstructor;
  readonly token: () => Promise<string | undefined>;
}

/**
 * Opens channels over WebSocket. A page cannot set headers there, so the token is sent as a sub-protocol, which servers
 * remove. Nor can it read the response of a failed upgrade, so there is no reason for a rejection.
 */
export function webSocketConnect({ server, WebSocket, token }: WebSocketConnectOptions): Connect {
  return async ({ path, query, protocols, signal }) => {
    signal?.throwIfAborted();
    const shown = await token();
    const url = `${server.replace(/^http/, 'ws')}${path}${query ? `?${query}` : ''}`;
    const socket = new WebSocket(url, [...(shown ? [bearerProtocol(shown)] : []), ...protocols.filter(isToken)]);
    socket.binaryType = 'arraybuffer';
    signal?.addEventListener('abort', () => socket.close(), { once: true });
    await opened(socket, path);
    return channelOver(socket);
  };
}

/** Browsers take no other names; `SPDY/3.1+portforward.k8s.io` is left to the rest of the world. */
function isToken(protocol: string): boolean {
  return !protocol.includes('/');
}

function bearerProtocol(token: string): string {
  const text = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `base64url.bearer.authorization.k8s.io.${text}`;
}

function opened(socket: WebSocketLike, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('close', () => reject(new Error(`the server opened no stream at ${path}`)));
  });
}

function channelOver(socket: WebSocketLike): Channel {
  return {
    protocol: socket.protocol,
    send: (message) => socket.send(message),
    onMessage: (listener) =>
      socket.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer) listener(new Uint8Array(data));
      }),
    onClose: (listener) => socket.addEventListener('close', ({ code, reason }) => listener(code, reason)),
    [Symbol.dispose]: () => socket.close(),
  };
}
