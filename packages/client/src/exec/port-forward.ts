import type { Client } from '../client.js';
import { objectPath } from '../rest/resource-path.js';
import { frame, unframe } from './channel-frames.js';

const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };
const channel = { data: 0, error: 1 } as const;
/** Each channel begins with the number of the port, in two bytes. */
const portBytes = 2;

/** A connection to a port of a pod. */
export interface ForwardedConnection extends Disposable {
  send(chunk: Uint8Array): void;
}

export interface PortForwardOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  readonly onData: (chunk: Uint8Array) => void;
  /** Called once: without an error when the pod closed the connection in good order. */
  readonly onEnd: (error?: Error) => void;
  readonly signal?: AbortSignal;
}

/** Opens one connection to a port of a pod. Whoever listens on a local port opens one for each that it accepts. */
export async function portForward(client: Client, options: PortForwardOptions): Promise<ForwardedConnection> {
  const { namespace, pod: name, port, onData, onEnd, signal } = options;
  const stream = await client.connect({
    path: objectPath(pods, { namespace, name, subresource: 'portforward' }),
    query: `ports=${port}`,
    protocols: ['v4.channel.k8s.io'],
    ...(signal && { signal }),
  });
  const complaint: Uint8Array[] = [];
  const skip = [portBytes, portBytes];
  stream.onMessage((message) => {
    const framed = unframe(message);
    if (!framed) return;
    const passed = Math.min(skip[framed.channel] ?? 0, framed.payload.length);
    skip[framed.channel] = (skip[framed.channel] ?? 0) - passed;
    const payload = framed.payload.subarray(passed);
    if (payload.length === 0) return;
    if (framed.channel === channel.data) onData(payload);
    else if (framed.channel === channel.error) complaint.push(payload);
  });
  stream.onClose((code) => onEnd(endOf(code, complaint)));
  return {
    send: (chunk) => stream.send(frame(channel.data, chunk)),
    [Symbol.dispose]: () => stream[Symbol.dispose](),
  };
}

function endOf(code: number, complaint: readonly Uint8Array[]): Error | undefined {
  const text = complaint.map((chunk) => new TextDecoder().decode(chunk)).join('');
  if (text !== '') return new Error(text);
  return code === 1000 || code === 1005 ? undefined : new Error(`the connection to the pod closed (${code})`);
}
