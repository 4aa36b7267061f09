import type { IncomingMessage } from 'node:http';
import { badRequest, type Channel } from '@coracle/apimachinery';
import { Fifo } from '@coracle/base';
import type { RawData, WebSocket } from 'ws';
import type { UpgradeRequest } from './upgrade-request.js';

/** The protocols of a client over WebSocket. */
export function offeredOverWebSocket({ headers }: IncomingMessage): string[] {
  const names = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Serves a channel over WebSocket. The library is loaded when the first client requests one. */
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
    maxPayload: mostMessageBytes,
    autoPong: false,
  });
  // The protocol is agreed on without the library, which does not take names with a slash, as kubectl's for ports has.
  delete incoming.headers['sec-websocket-protocol'];
  server.on('headers', (headers) => {
    if (channel.protocol !== '') headers.push(`Sec-WebSocket-Protocol: ${channel.protocol}`);
  });
  let isJoined = false;
  server.handleUpgrade(incoming, socket, head, (webSocket) => {
    isJoined = true;
    join(channel, webSocket);
  });
  // The client has disconnected, or does not use WebSocket: the library has responded already.
  if (!isJoined) channel[Symbol.dispose]();
}

/** A larger message ends the connection, as with kube-apiserver. Parts of messages are kept until they are complete. */
const mostMessageBytes = 32 * 1024 * 1024;

/**
 * Maximum size of data that waits for a client: until it has read, nothing more is read from it, nor from its source.
 */
const mostUnsentBytes = 4 * 1024 * 1024;

/** Messages go both ways until one side closes. */
function join(channel: Channel, webSocket: WebSocket): void {
  const outbox = new Outbox(webSocket, channel);
  webSocket.on('message', (data) => channel.send(bytesOf(data)));
  // The answers to a client that reads none would pile up.
  webSocket.on('ping', (data) => void (webSocket.bufferedAmount <= mostUnsentBytes && webSocket.pong(data)));
  webSocket.on('close', () => channel[Symbol.dispose]());
  webSocket.on('error', () => webSocket.terminate());
  channel.onMessage((message) => outbox.send(message));
  channel.onClose((code, reason) => outbox.close(code, reason));
}

/**
 * Sends one message after the other, each when the one before it has left. Python's client waits at the socket for the
 * next message, and would wait forever for one that had come in one piece with another.
 */
class Outbox {
  readonly #webSocket: WebSocket;
  readonly #channel: Channel;
  readonly #binary: boolean;
  readonly #waiting = new Fifo<Uint8Array>();
  #unsentBytes = 0;
  #sending = false;
  #close: (() => void) | undefined;

  constructor(webSocket: WebSocket, channel: Channel) {
    this.#webSocket = webSocket;
    this.#channel = channel;
    this.#binary = !channel.isText && !channel.protocol.includes('base64');
  }

  send(message: Uint8Array): void {
    this.#waiting.push(message);
    this.#unsentBytes += message.length;
    if (this.#unsentBytes > mostUnsentBytes) this.#pause();
    if (!this.#sending) this.#next();
  }

  /** Closes when all has been sent. */
  close(code: number, reason: string): void {
    this.#close = () => this.#webSocket.close(code, reason);
    if (!this.#sending) this.#next();
  }

  readonly #next = (): void => {
    const message = this.#waiting.shift();
    this.#sending = message !== undefined;
    if (!message) {
      this.#close?.();
      return;
    }
    this.#webSocket.send(message, { binary: this.#binary }, () => {
      this.#unsentBytes -= message.length;
      if (this.#unsentBytes <= mostUnsentBytes && this.#webSocket.isPaused) this.#resume();
      this.#next();
    });
  };

  #pause(): void {
    this.#webSocket.pause();
    this.#channel.pause?.();
  }

  #resume(): void {
    this.#webSocket.resume();
    this.#channel.resume?.();
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
