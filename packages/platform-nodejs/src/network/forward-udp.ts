import { createSocket, type Socket } from 'node:dgram';
import type { ForwardedPort } from '@coracle/proxy';
import type { ClientAffinity } from './client-affinity.js';

/** Time for which responses of an endpoint are forwarded to a client that sends nothing. */
const idleMs = 60_000;
/** Maximum number of concurrent clients: each has a socket. */
const mostFlows = 4_096;

/** The datagrams of one client, and their endpoint. */
interface Flow {
  readonly socket: Socket;
  readonly target: ForwardedPort['endpoints'][number];
  timer: NodeJS.Timeout;
}

/**
 * Forwards datagrams to endpoints, and their responses back. A client stays with its endpoint while it continues to
 * send.
 */
export async function forwardUdp(
  port: number,
  host: string | undefined,
  affinity: ClientAffinity,
): Promise<AsyncDisposable> {
  const six = host === undefined || host.includes(':');
  const server = createSocket({ type: six ? 'udp6' : 'udp4' });
  const flows = new Map<string, Flow>();
  const end = (key: string) => {
    const flow = flows.get(key);
    if (!flow) return;
    flows.delete(key);
    clearTimeout(flow.timer);
    flow.socket.close();
  };
  server.on('message', (data, { address, port: from }) => {
    // Port 0 is not a valid destination, and sending would throw.
    if (from === 0) return;
    const key = `${address} ${from}`;
    const entry = flows.get(key);
    if (entry && !affinity.isCurrent(entry.target)) end(key);
    const flow = flows.get(key) ?? begin(key, address, (answer) => server.send(answer, from, address));
    if (!flow) return;
    clearTimeout(flow.timer);
    flow.timer = setTimeout(() => end(key), idleMs);
    flow.socket.send(data, flow.target.port, flow.target.address, () => undefined);
  });

  function begin(key: string, client: string, answer: (data: Buffer) => void): Flow | undefined {
    const [target] = affinity.endpointsFor(client);
    if (!target || flows.size >= mostFlows) return undefined;
    affinity.keep(client, target);
    const socket = createSocket(target.address.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', () => end(key));
    socket.on('message', (data, from) => {
      if (from.port === target.port) answer(data);
    });
    const flow = { socket, target, timer: setTimeout(() => end(key), idleMs) };
    flows.set(key, flow);
    return flow;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.bind({ port, ...(host !== undefined && { address: host }) }, resolve);
  });
  server.on('error', () => undefined);
  return {
    async [Symbol.asyncDispose]() {
      for (const key of [...flows.keys()]) end(key);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
