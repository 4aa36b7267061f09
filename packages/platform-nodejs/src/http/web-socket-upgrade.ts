import type { IncomingMessage } from 'node:http';
import { badRequest, type Channel } from '@coracle/apimachinery';
import type { RawData, WebSocket } from 'ws';
import type { UpgradeRequest } from './upgrade-request.js';

/** What a client can speak over WebSocket. */
export function offeredOverWebSocket({ headers }: IncomingMessage): string[] {
  const names = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Carries a channel over WebSocket. The library is loaded when the first client asks for one. */
export async function acceptWebSocket(upgrade: UpgradeRequest, channel: Channel): Promise<void> {
  const { incoming, socket, head } = upgrade;
  if (incoming.headers.upgrade?.toLowerCase() !== 'websocket') {
    channel[Symbol.dispose]();
    throw badRequest(`unable to upgrade: unknown protocol ${JSON.stringify(incoming.headers.upgrade ?? '')}`);
  }
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => channel.protocol || false,
  });
  server.handleUpgrade(incoming, socket, head, (webSocket) => join(channel, webSocket));
}

/** More than this waits for a client: nothing more is read from it until it has read. */
const mostUnsentBytes = 4 * 1024 * 1024;

/** Messages go both ways until one side closes. */
function join(channel: Channel, webSocket: WebSocket): void {
  const binary = !channel.protocol.includes('base64');
  const sent = () => {
    if (webSocket.isPaused && webSocket.bufferedAmount < mostUnsentBytes) webSocket.resume();
  };
  webSocket.on('message', (data) => channel.send(bytesOf(data)));
  webSocket.on('close', () => channel[Symbol.dispose]());
  webSocket.on('error', () => webSocket.terminate());
  channel.onMessage((message) => {
    webSocket.send(message, { binary }, sent);
    if (webSocket.bufferedAmount > mostUnsentBytes) webSocket.pause();
  });
  channel.onClose((code, reason) => webSocket.close(code, reason));
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
