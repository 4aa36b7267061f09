import { createServer, type Server } from 'node:net';

/** An additional listening address for some peers. */
export interface ExtraListener {
  readonly host: string;
  /** Whether a peer with this IP address may connect. Other connections are closed before TLS begins. */
  readonly accepts: (remoteAddress: string) => boolean;
}

/** Passes connections to `host` and `port` to a server that listens elsewhere. Rejects if the address is in use. */
export async function listenAlso(
  server: Server,
  { host, port, accepts }: ExtraListener & { readonly port: number },
): Promise<Disposable> {
  const extra = createServer((socket) => {
    if (accepts(socket.remoteAddress ?? '')) server.emit('connection', socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    extra.once('error', reject);
    extra.listen(port, host, () => {
      extra.off('error', reject);
      resolve();
    });
  });
  return { [Symbol.dispose]: () => void extra.close() };
}
