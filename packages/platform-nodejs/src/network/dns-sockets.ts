import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { DisposableStack, type Logger, messageOf } from '@coracle/base';
import type { DnsServer } from '@coracle/dns';

export interface DnsSocketsOptions {
  readonly server: Pick<DnsServer, 'answer'>;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly logger: Logger;
}

const idleMs = 10_000;
const mostConnections = 1_000;
/** Maximum number of concurrent queries on one connection. */
const mostAtOnce = 64;

/** Serves DNS over UDP and TCP on each of the addresses. */
export async function listenDns({ server, addresses, port, logger }: DnsSocketsOptions): Promise<AsyncDisposable> {
  const parts = new DisposableStack();
  try {
    for (const address of addresses) {
      parts.use(await listenUdp(server, { address, port, logger }));
      parts.use(await listenTcp(server, { address, port }));
    }
    return parts;
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

interface Place {
  readonly address: string;
  readonly port: number;
}

async function listenUdp(
  server: DnsSocketsOptions['server'],
  { address, port, logger }: Place & { readonly logger: Logger },
): Promise<AsyncDisposable> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1024 * 1024 });
  let closed = false;
  const send = (bytes: Uint8Array | undefined, to: Place) => {
    // A client that disconnects does not stop the server.
    if (bytes && !closed) socket.send(bytes, to.port, to.address, () => undefined);
  };
  socket.on('message', (packet, from) => {
    // Port 0 is not a valid destination, and sending would throw.
    if (from.port === 0) return;
    const answer = server.answer(packet, 'udp');
    if (answer instanceof Promise) void answer.then((bytes) => send(bytes, from));
    else send(answer, from);
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  socket.on('error', (error) => logger.error('failed to serve DNS over UDP', { error: messageOf(error) }));
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

async function listenTcp(server: DnsSocketsOptions['server'], { address, port }: Place): Promise<AsyncDisposable> {
  const connections = new Set<Socket>();
  const listener = createServer((socket) => {
    connections.add(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => connections.delete(socket));
    socket.on('data', frames(answerer(server, socket)));
  });
  listener.maxConnections = mostConnections;
  listener.listen(port, address);
  await once(listener, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

/** Answers the queries of one connection, each when it is ready. */
function answerer(server: DnsSocketsOptions['server'], socket: Socket): (packet: Uint8Array) => void {
  let underWay = 0;
  return async (packet) => {
    if (underWay >= mostAtOnce) return void socket.destroy();
    underWay++;
    const answer = await server.answer(packet, 'tcp');
    underWay--;
    if (!answer || socket.destroyed) return undefined;
    socket.write(Uint8Array.of(answer.length >> 8, answer.length & 0xff));
    socket.write(answer);
    return undefined;
  };
}

/** Splits a stream of bytes into messages, which are prefixed with their length. */
export function frames(each: (packet: Uint8Array) => void): (chunk: Uint8Array) => void {
  let begun: Uint8Array = new Uint8Array(0);
  return (chunk) => {
    let bytes = begun.length === 0 ? chunk : Uint8Array.from([...begun, ...chunk]);
    while (bytes.length >= 2) {
      const length = ((bytes[0] as number) << 8) | (bytes[1] as number);
      if (bytes.length < 2 + length) break;
      each(bytes.subarray(2, 2 + length));
      bytes = bytes.subarray(2 + length);
    }
    begun = Uint8Array.from(bytes);
  };
}
