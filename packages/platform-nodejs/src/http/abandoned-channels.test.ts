import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { channelPair, spdyPrefix } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import { afterEach, expect, test } from 'vitest';
import { serveUpgrades } from './upgrade.js';

let server: Server | undefined;
afterEach(() => server?.close());

/** Opens a channel when `ready`; reports that a client has connected, and that its channel has closed. */
async function serveChannels(protocol: string, ready: Promise<void>) {
  const [come, closed] = [new Deferred<Socket>(), new Deferred<void>()];
  let current: Socket | undefined;
  const upgrade = serveUpgrades(async () => {
    come.resolve(current as Socket);
    await ready;
    const [ours, theirs] = channelPair(protocol);
    ours.onClose(() => closed.resolve());
    return theirs;
  });
  server = createServer();
  server.on('upgrade', (incoming, socket, head) => {
    current = socket as Socket;
    socket.on('error', () => undefined);
    upgrade({ request: { method: 'GET', path: '/', query: '', headers: {} }, incoming, socket, head });
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  return { come: come.promise, closed: closed.promise, port: (server.address() as AddressInfo).port };
}

function request(port: number, headers: readonly string[]): Socket {
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write(['GET / HTTP/1.1', 'Host: x', 'Connection: Upgrade', ...headers, '', ''].join('\r\n'));
  return client;
}

const webSocket = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const spdy = ['Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'];

test.each([
  ['WebSocket', '', webSocket],
  ['SPDY', `${spdyPrefix}v4.channel.k8s.io`, spdy],
])('a channel over %s closes whose client left before it was open', async (_name, protocol, headers) => {
  const ready = new Deferred<void>();
  const { come, closed, port } = await serveChannels(protocol, ready.promise);
  const client = request(port, headers);
  const socket = await come;
  client.resetAndDestroy();
  await new Promise((resolve) => void socket.on('close', resolve));
  ready.resolve();
  expect(await closed).toBeUndefined();
});

test('a channel closes whose client does not shake hands as WebSocket requires', async () => {
  const { closed, port } = await serveChannels('', Promise.resolve());
  const client = request(port, ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: none']);
  expect(await closed).toBeUndefined();
  client.destroy();
});

test('pings are answered, but not without limit to a client that does not read', async () => {
  const { come, port } = await serveChannels('', Promise.resolve());
  const client = request(port, webSocket);
  const socket = await come;
  const mask = Buffer.from([0, 0, 0, 0]);
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125]), mask, Buffer.alloc(125, 'x')]);
  const pong = Buffer.concat([Buffer.from([0x8a, 125]), Buffer.alloc(125, 'x')]);
  client.write(ping);
  await expect.poll(() => client.read()?.includes(pong) ?? false).toBe(true);
  const flood = Buffer.concat(Array<Buffer>(8_000).fill(ping));
  for (let i = 0; i < 40; i++) await new Promise((resolve) => client.write(flood, resolve));
  await expect.poll(() => socket.bytesRead).toBe(client.bytesWritten);
  expect(socket.writableLength).toBeLessThan(8 * 2 ** 20);
  client.destroy();
});
