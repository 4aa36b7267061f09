import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
  /** Targets of the requests, `host:port` each. */
  readonly requests: readonly string[];
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A proxy that opens tunnels to `CONNECT`. */
export async function startHttpProxy(credentials?: Credentials | '' | undefined): Promise<RunningProxy> {
  const requests: string[] = [];
  const expected = credentials && `Basic ${btoa(`${credentials.username}:${credentials.password}`)}`;
  const server = createHttpServer();
  server.on('connect', (request, socket, head) => {
    requests.push(request.url ?? '');
    if (expected && request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      join(socket, upstream);
    });
  });
  return running(server, requests);
}

/** A SOCKS5 proxy; clients must speak to it in the order of RFC 1928, a message at a time. */
export async function startSocksProxy(credentials?: Credentials | '' | undefined): Promise<RunningProxy> {
  const requests: string[] = [];
  const server = createServer(
    (socket) => void serveSocks(socket, { requests, credentials }).catch(() => socket.destroy()),
  );
  return running(server, requests);
}

interface Serving {
  readonly requests: string[];
  readonly credentials: Credentials | '' | undefined;
}

async function serveSocks(socket: Socket, { requests, credentials }: Serving): Promise<void> {
  const [, , ...methods] = await message(socket);
  const method = credentials ? 2 : 0;
  if (!methods.includes(method)) {
    socket.end(Buffer.from([5, 0xff]));
    return;
  }
  socket.write(Buffer.from([5, method]));
  if (credentials) {
    const request = await message(socket);
    const length = request[1] ?? 0;
    const shown = [request.subarray(2, 2 + length), request.subarray(3 + length)].join(':');
    const isRight = shown === `${credentials.username}:${credentials.password}`;
    socket.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return;
  }
  const connectRequest = await message(socket);
  const isName = connectRequest[3] === 3;
  const host = isName ? connectRequest.subarray(5, -2).toString() : [...connectRequest.subarray(4, 8)].join('.');
  const port = connectRequest.readUInt16BE(connectRequest.length - 2);
  requests.push(`${host}:${port}`);
  const upstream = connect(port, host);
  upstream.on('error', () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
  upstream.on('connect', () => {
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    join(socket, upstream);
  });
}

async function message(socket: Socket): Promise<Buffer> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes;
}

function join(socket: Duplex, upstream: Socket): void {
  for (const end of [socket, upstream]) end.on('error', () => {});
  socket.on('close', () => upstream.destroy());
  upstream.pipe(socket).pipe(upstream);
}

async function running(server: Server, requests: readonly string[]): Promise<RunningProxy> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
