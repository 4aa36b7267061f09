import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { badRequest, type Channel, spdyPrefix } from '@coracle/apimachinery';
import type { UpgradeRequest } from './upgrade-request.js';

export const spdyName = 'SPDY/3.1';

/** The protocols of a client over SPDY, as names of channels. */
export function offeredOverSpdy({ headersDistinct }: IncomingMessage): string[] {
  const names = (headersDistinct['x-stream-protocol-version'] ?? []).flatMap((value) => value.split(','));
  const offered = names.map((name) => name.trim()).filter((name) => name !== '');
  if (offered.length === 0) throw badRequest('unable to upgrade: X-Stream-Protocol-Version is required');
  return offered.map((name) => spdyPrefix + name);
}

/** Connects a channel with the socket. */
export function acceptSpdy({ socket, head }: UpgradeRequest, channel: Channel): void {
  // A channel whose client has disconnected does not report that again.
  if (socket.destroyed) {
    channel[Symbol.dispose]();
    return;
  }
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    `Upgrade: ${spdyName}`,
    `X-Stream-Protocol-Version: ${channel.protocol.slice(spdyPrefix.length)}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) channel.send(head);
  join(channel, socket);
}

/** Backpressure: while a client does not read, nothing is read from it. */
function join(channel: Channel, socket: Duplex): void {
  socket.on('data', (chunk: Buffer) => channel.send(chunk));
  socket.on('drain', () => socket.resume());
  socket.on('end', () => channel[Symbol.dispose]());
  socket.on('close', () => channel[Symbol.dispose]());
  channel.onMessage((bytes) => {
    if (!socket.destroyed && !socket.write(bytes)) socket.pause();
  });
  channel.onClose(() => socket.end());
}
