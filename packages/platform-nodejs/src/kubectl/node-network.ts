import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalConnection, LocalHttpRequest, LocalHttpResponse, Network } from '@coracle/kubectl';

/** Listeners on this machine, and requests to others. */
export function nodeNetwork(): Network {
  return {
    async listen({ host, port }, accept) {
      const sockets = new Set<Socket>();
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        accept(localConnection(socket));
      });
      await listening(server, () => server.listen(port, host));
      return {
        port: (server.address() as AddressInfo).port,
        [Symbol.dispose]: () => {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      };
    },
    async serveHttp(address, handle, connect) {
      const server = createHttpServer((request, response) => void answer(request, response, handle));
      if (connect) server.on('upgrade', await upgradesTo(connect));
      await listening(server, () =>
        'socket' in address ? server.listen(address.socket) : server.listen(address.port, address.host),
      );
      const at = server.address();
      const text =
        typeof at === 'string' ? at : `${at?.address.includes(':') ? `[${at.address}]` : at?.address}:${at?.port}`;
      return { address: text, [Symbol.dispose]: () => void server.close() };
    },
    async fetch(url) {
      const response = await fetch(url);
      return {
        status: response.status,
        statusText: response.statusText,
        body: new Uint8Array(await response.arrayBuffer()),
      };
    },
  };
}

type Connect = NonNullable<Parameters<Network['serveHttp']>[2]>;

/** Forwards streams. The code that they need is loaded only by servers. */
async function upgradesTo(
  connect: Connect,
): Promise<(incoming: IncomingMessage, socket: Duplex, head: Buffer) => void> {
  const { serveUpgrades } = await import('../http/upgrade.js');
  return (incoming, socket, head) => {
    socket.on('error', () => socket.destroy());
    const { url = '/', method = 'GET', headers } = incoming;
    const [path = '/', query = ''] = url.split(/\?(.*)/s);
    const isSpdy = headers.upgrade?.toLowerCase() === 'spdy/3.1';
    const open = (_request: object, protocols: readonly string[]) =>
      connect({
        url,
        method,
        host: headers.host ?? '',
        headers: textsOf(incoming),
        protocols,
        ...(isSpdy && { over: 'SPDY/3.1' }),
      });
    serveUpgrades(open)({ request: { method, path, query, headers: {} }, incoming, socket, head });
  };
}

function textsOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', resolve);
    listen();
  });
}

function localConnection(socket: Socket): LocalConnection {
  socket.on('error', () => socket.destroy());
  return {
    // A peer that has closed its sending side may still wait for the response.
    chunks: () => socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    write: (chunk) => void socket.write(chunk),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: LocalHttpRequest) => Promise<LocalHttpResponse>,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = textsOf(request);
    const { method = 'GET', url = '/' } = request;
    const answered = await handle({
      method,
      url,
      host: request.headers.host ?? '',
      headers,
      body: Buffer.concat(chunks),
      signal: gone.signal,
    });
    response.writeHead(answered.status, answered.headers as Record<string, string | string[]>);
    // No timeout, because a watch may have no event for long.
    response.flushHeaders();
    // As fast as the client reads; ends when it disconnects.
    await pipeline(Readable.from(answered.body, { objectMode: false }), response);
  } catch (error) {
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(502);
    response.end(`${(error as Error).message}\n`);
  }
}
