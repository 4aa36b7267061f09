import { createSocket, type Socket } from 'node:dgram';
import type { ForwardedPort } from '@coracle/proxy';
import type { ClientAffinity } from './client-affinity.js';

/** How long the answers of an endpoint find the way back to a client that sends nothing. */
const idleMs = 60_000;
/** Clients at once: each has a socket. */
const mostFlows = 4_096;

/** What one client sends, and where it goes. */
interface Flow {
  readonly socket: Socket;
  readonly target: ForwardedPort['endpoints'][number];
  timer: NodeJS.Timeout;
}

/** Carries datagrams to endpoints, and their answers back. A client stays with its endpoint while it goes on sending. */
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
    // Nothing can be sent to port 0, and to try would throw.
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
