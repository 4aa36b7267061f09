import { type Channel, frame, unframe } from '@coracle/apimachinery';
import type { PortSink } from './streaming-runtime.js';
import { decodeBase64, encodeBase64 } from './web-socket-command.js';

/** Opens a connection to a port. Its data goes into `toClient`. */
export type ConnectPort = (port: number, toClient: PortSink) => Promise<PortSink>;

export const webSocketPortProtocols: readonly string[] = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''];

/**
 * Serves one connection to each of these ports over a WebSocket: two channels per port, for data and for errors, each
 * of which begins with the number of the port.
 */
export function serveWebSocketPorts(channel: Channel, ports: readonly number[], connect: ConnectPort): void {
  const base64 = channel.protocol.includes('base64');
  const send = (id: number, payload: Uint8Array) =>
    channel.send(base64 ? encodeBase64(id, payload) : frame(id, payload));
  let open = ports.length;
  const closeOne = () => {
    if (--open === 0) channel[Symbol.dispose]();
  };
  const connections = ports.map((port, index) => {
    const number = Uint8Array.of(port & 0xff, port >>> 8);
    send(index * 2, number);
    send(index * 2 + 1, number);
    const toClient: PortSink = {
      data: (chunk) => send(index * 2, chunk),
      end: (error) => {
        if (error) send(index * 2 + 1, new TextEncoder().encode(error.message));
        closeOne();
      },
    };
    return connect(port, toClient).catch((error: Error) => {
      toClient.end(error);
      return undefined;
    });
  });
  channel.onMessage((message) => {
    const framed = base64 ? decodeBase64(message) : unframe(message);
    if (framed && framed.channel % 2 === 0)
      void connections[framed.channel / 2]?.then((toPod) => toPod?.data(framed.payload));
  });
  channel.onClose(() => {
    for (const connection of connections) void connection.then((toPod) => toPod?.end(new Error('the client has gone')));
  });
}
