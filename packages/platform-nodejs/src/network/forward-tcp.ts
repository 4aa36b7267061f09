import { connect, createServer, type Socket } from 'node:net';
import type { ClientAffinity } from './client-affinity.js';

const connectMs = 5_000;

/** Forwards the connections of a port to endpoints. One that does not respond is skipped. */
export async function forwardTcp(
  port: number,
  host: string | undefined,
  affinity: ClientAffinity,
): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    void carry(client, affinity);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, resolve);
  });
  server.on('error', () => undefined);
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function carry(client: Socket, affinity: ClientAffinity): Promise<void> {
  const address = client.remoteAddress ?? '';
  for (const target of affinity.endpointsFor(address)) {
    const backend = await reach(target);
    if (client.destroyed) {
      backend?.destroy();
      return;
    }
    if (!backend) continue;
    affinity.keep(address, target);
    backend.on('error', () => client.destroy());
    client.once('close', () => backend.destroy());
    backend.once('close', () => client.destroy());
    client.pipe(backend);
    backend.pipe(client);
    return;
  }
  client.resetAndDestroy();
}

/** `undefined` if the connection fails. */
function reach({ address, port }: { readonly address: string; readonly port: number }): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(connectMs, fail);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
