import { type Channel, frame, SpdyConnection, spdyPortForward, unframe } from '@coracle/apimachinery';
import type { Client } from '../client.js';
import { objectPath } from '../rest/resource-path.js';
import { openChannel } from './open-channel.js';

const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };
const channels = { data: 0, error: 1 } as const;
/** Over WebSocket each channel begins with the number of the port, in two bytes. */
const portBytes = 2;

/** In order of preference. Servers before v1.30 support only the second, in which a side cannot close first. */
const webSocketProtocols: readonly string[] = [spdyPortForward, 'v4.channel.k8s.io'];

/** A connection to a port of a pod. */
export interface ForwardedConnection extends Disposable {
  send(chunk: Uint8Array): void;
  /** Closes the sending side; data of the pod is still received. Old servers do not support it. */
  end(): void;
}

/** Which ports of which pod. */
export interface PortForwardOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  readonly onData: (chunk: Uint8Array) => void;
  /** Called once: without an error when the pod closed the connection in good order. */
  readonly onEnd: (error?: Error) => void;
  readonly signal?: AbortSignal;
}

/**
 * Opens one connection to a port of a pod. A program that listens on a local port opens one for each that it accepts.
 */
export async function portForward(client: Client, options: PortForwardOptions): Promise<ForwardedConnection> {
  const { namespace, pod: name, port, signal } = options;
  const request = {
    path: objectPath(pods, { namespace, name, subresource: 'portforward' }),
    query: `ports=${port}`,
    ...(signal && { signal }),
  };
  const { channel, overSpdy } = await openChannel(client, request, {
    webSocket: webSocketProtocols,
    spdy: ['portforward.k8s.io'],
  });
  return overSpdy ? forwardOverSpdy(channel, options) : forwardOverWebSocket(channel, options);
}

/** Two streams a connection: one for errors, which only the server writes to, and one for data. */
function forwardOverSpdy(channel: Channel, { port, onData, onEnd }: PortForwardOptions): ForwardedConnection {
  const complaint = new Complaint();
  let ended = false;
  let connection: SpdyConnection | undefined;
  const finish = (error?: Error) => {
    if (ended) return;
    ended = true;
    connection?.[Symbol.dispose]();
    onEnd(complaint.error ?? error);
  };
  connection = new SpdyConnection(channel, {
    role: 'client',
    onClose: (error) => finish(error ?? new Error('the connection to the pod closed')),
  });
  const headers = { port: String(port), requestid: '0' };
  const open = { data: true, error: true };
  const close = (which: keyof typeof open) => {
    open[which] = false;
    if (!open.data && !open.error) finish();
  };
  const errors = connection.open({ ...headers, streamtype: 'error' }, { fin: true });
  errors.listen({ data: complaint.hear, end: () => close('error'), reset: () => close('error') });
  const data = connection.open({ ...headers, streamtype: 'data' });
  data.listen({
    data: onData,
    end: () => close('data'),
    reset: () => finish(new Error('the pod reset the connection')),
  });
  return {
    send: (chunk) => data.write(chunk),
    end: () => data.end(),
    [Symbol.dispose]: () => finish(),
  };
}

function forwardOverWebSocket(stream: Channel, { onData, onEnd }: PortForwardOptions): ForwardedConnection {
  const complaint = new Complaint();
  const skip = [portBytes, portBytes];
  stream.onMessage((message) => {
    const framed = unframe(message);
    if (!framed) return;
    const passed = Math.min(skip[framed.channel] ?? 0, framed.payload.length);
    skip[framed.channel] = (skip[framed.channel] ?? 0) - passed;
    const payload = framed.payload.subarray(passed);
    if (payload.length === 0) return;
    if (framed.channel === channels.data) onData(payload);
    else if (framed.channel === channels.error) complaint.hear(payload);
  });
  stream.onClose((code) => onEnd(complaint.error ?? errorOfCode(code)));
  return {
    send: (chunk) => stream.send(frame(channels.data, chunk)),
    end() {},
    [Symbol.dispose]: () => stream[Symbol.dispose](),
  };
}

function errorOfCode(code: number): Error | undefined {
  return code === 1000 || code === 1005 ? undefined : new Error(`the connection to the pod closed (${code})`);
}

/** The error from the node, in any number of chunks. */
class Complaint {
  readonly #decoder = new TextDecoder();
  #text = '';

  readonly hear = (chunk: Uint8Array): void => {
    this.#text += this.#decoder.decode(chunk, { stream: true });
  };

  get error(): Error | undefined {
    return this.#text === '' ? undefined : new Error(this.#text);
  }
}
