import { type Channel, SpdyConnection, type SpdyHeaders, type SpdyStream } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { streamCreationMs } from './spdy-command.js';
import type { PortSink } from './streaming-runtime.js';
import type { ConnectPort } from './web-socket-port-forward.js';

/** The only protocol of port forwarding over SPDY. */
export const spdyPortProtocols: readonly string[] = ['portforward.k8s.io'];

export interface SpdyPortsOptions {
  readonly clock: Clock;
  readonly connect: ConnectPort;
}

/** A pair of streams: one connection to a port. */
interface StreamPair {
  data?: SpdyStream;
  error?: SpdyStream;
  /** Expires if one of them does not arrive. */
  readonly late: Disposable;
}

/** Serves any number of connections to ports of a pod over one SPDY connection. */
export function serveSpdyPorts(channel: Channel, { clock, connect }: SpdyPortsOptions): void {
  const pairs = new Map<string, StreamPair>();
  const wait = (id: string) =>
    clock.schedule(streamCreationMs, () => {
      const pair = pairs.get(id);
      pairs.delete(id);
      complain(pair?.error, `(request=${id}) timed out waiting for streams`);
      pair?.error?.end();
      pair?.data?.reset();
    });
  new SpdyConnection(channel, {
    role: 'server',
    accepts: isPortStream,
    onStream: (stream) => {
      const id = requestIdOf(stream);
      const kind = stream.headers['streamtype'] === 'data' ? 'data' : 'error';
      const pair = pairs.get(id) ?? { late: wait(id) };
      pairs.set(id, pair);
      if (pair[kind]) {
        complain(pair.error, `error processing stream for request ${id}: ${kind} stream already assigned`);
        stream.reset();
        return;
      }
      pair[kind] = stream;
      const { data, error } = pair;
      if (!data || !error) return;
      pair.late[Symbol.dispose]();
      pairs.delete(id);
      void forward(data, error, connect);
    },
    onClose: () => {
      for (const { late } of pairs.values()) late[Symbol.dispose]();
    },
  });
}

function isPortStream({ streamtype, port = '' }: SpdyHeaders): boolean {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return (streamtype === 'data' || streamtype === 'error') && number > 0 && number <= 0xffff;
}

/** Clients without request ids open the error stream first, and the data stream right after it. */
function requestIdOf({ id, headers }: SpdyStream): string {
  const { requestid, streamtype } = headers;
  return requestid ?? String(streamtype === 'data' ? id - 2 : id);
}

async function forward(data: SpdyStream, error: SpdyStream, connect: ConnectPort): Promise<void> {
  error.listen({ data() {}, end() {}, reset() {} });
  const port = Number(data.headers['port']);
  const toClient: PortSink = {
    data: (chunk) => data.write(chunk),
    end: (problem) => {
      if (problem) complain(error, problem.message);
      error.end();
      data.end();
    },
  };
  try {
    const toPod = await connect(port, toClient);
    data.listen({
      data: (chunk) => toPod.data(chunk),
      end: () => toPod.end(),
      reset: () => toPod.end(new Error('the client has gone')),
    });
  } catch (problem) {
    toClient.end(problem as Error);
  }
}

function complain(error: SpdyStream | undefined, text: string): void {
  error?.write(new TextEncoder().encode(text));
}
