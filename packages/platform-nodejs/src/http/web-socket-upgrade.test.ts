import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failure } from '@coracle/apimachinery';
import type { ApiServer, Channel } from '@coracle/apiserver';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { webSocketUpgrade } from './web-socket-upgrade.js';

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(connect: ApiServer['connect']): Promise<string> {
  const upgrade = webSocketUpgrade(connect);
  server = createServer();
  server.on('upgrade', (incoming, socket, head) =>
    upgrade({ request: { method: 'GET', path: incoming.url ?? '', query: '', headers: {} }, incoming, socket, head }),
  );
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Says everything back, and closes when it hears an empty message. */
function echo(protocol: string): Channel {
  let onMessage = (_message: Uint8Array) => {};
  let onClose = (_code: number, _reason: string) => {};
  return {
    protocol,
    send: (message) => (message.length === 0 ? onClose(1000, 'done') : onMessage(message)),
    onMessage: (listener) => {
      onMessage = listener;
    },
    onClose: (listener) => {
      onClose = listener;
    },
    [Symbol.dispose]() {},
  };
}

test('messages go both ways in the protocol that the channel chose', async () => {
  const url = await serve(async (_request, protocols) => echo(protocols[1] ?? ''));
  const socket = new WebSocket(url, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  const heard = new Promise<string>((resolve) => socket.on('message', (data) => resolve(String(data))));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  socket.on('open', () => {
    socket.send(Buffer.from('hello'));
    socket.send(Buffer.alloc(0));
  });
  expect(await heard).toBe('hello');
  expect(socket.protocol).toBe('v4.channel.k8s.io');
  expect(await closed).toBe(1000);
});

test('a refusal is answered as the failure that it is', async () => {
  const url = await serve(async () => {
    throw failure('NotFound', 'pods "x" not found');
  });
  const socket = new WebSocket(url, ['v5.channel.k8s.io']);
  const status = await new Promise<number | undefined>((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('error', () => {});
  });
  expect(status).toBe(404);
});
