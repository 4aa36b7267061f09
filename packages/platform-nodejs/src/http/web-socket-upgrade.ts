import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ApiRequest, asStatusError, badRequest } from '@coracle/apimachinery';
import type { ApiServer, Channel } from '@coracle/apiserver';
import type { RawData, WebSocket } from 'ws';
import { sendStatusLine } from './send-response.js';

/** A connection that its client wants to use for something else than HTTP. */
export interface UpgradeRequest {
  readonly request: ApiRequest;
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Serves the channels of an API server over WebSocket. The library is loaded when the first client asks for one. */
export function webSocketUpgrade(connect: ApiServer['connect']): (upgrade: UpgradeRequest) => void {
  return (upgrade) => {
    void open(connect, upgrade).catch((error: unknown) => sendStatusLine(upgrade.socket, asStatusError(error).status));
  };
}

async function open(connect: ApiServer['connect'], { request, incoming, socket, head }: UpgradeRequest): Promise<void> {
  const isWebSocket = incoming.headers.upgrade?.toLowerCase() === 'websocket';
  const offered = (incoming.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  // Whoever asks in another way is told first why the channel itself is refused, if it is.
  const channel = await connect(request, isWebSocket ? offered.filter((name) => name !== '') : []);
  if (!isWebSocket) {
    channel[Symbol.dispose]();
    throw badRequest(`channels are opened over WebSocket, not over ${incoming.headers.upgrade ?? 'nothing'}`);
  }
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => channel.protocol,
  });
  server.handleUpgrade(incoming, socket, head, (webSocket) => join(channel, webSocket));
}

/** Messages go both ways until one side closes. */
function join(channel: Channel, webSocket: WebSocket): void {
  webSocket.on('message', (data) => channel.send(bytesOf(data)));
  webSocket.on('close', () => channel[Symbol.dispose]());
  webSocket.on('error', () => webSocket.terminate());
  channel.onMessage((message) => webSocket.send(message, { binary: true }));
  channel.onClose((code, reason) => webSocket.close(code, reason));
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
