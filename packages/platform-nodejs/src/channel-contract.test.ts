import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { channelPair, type PairedChannel, spdyPrefix } from '@coracle/apimachinery';
import type { Connect } from '@coracle/client';
import { type ChannelHarness, describeChannel } from '@coracle/testing';
import { expect, test, vi } from 'vitest';
import { serveUpgrades } from './http/upgrade.js';
import { spdyConnect } from './spdy-connect.js';
import { type WebSocketConnectOptions, webSocketConnect } from './web-socket-connect.js';

/** The near end is a client's; the far one is what the server opened for it. */
async function connected(client: (options: WebSocketConnectOptions) => Connect, protocol: string) {
  let far: PairedChannel | undefined;
  const upgrade = serveUpgrades(async (_request, [offered = '']) => {
    const [ours, theirs] = channelPair(offered);
    far = ours;
    return theirs;
  });
  const server = createServer();
  server.on('upgrade', (incoming, socket, head) =>
    upgrade({ request: { method: 'GET', path: incoming.url ?? '', query: '', headers: {} }, incoming, socket, head }),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const connect = client({
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    auth: { trust: {}, authorize: async () => ({ headers: {}, identity: {} }) },
  });
  const near = await connect({ path: '/', query: '', headers: {}, protocols: [protocol] });
  if (!far) throw new Error('the server opened no channel');
  return {
    near,
    far,
    [Symbol.asyncDispose]: async () => {
      near[Symbol.dispose]();
      await new Promise((resolve) => void server.close(resolve));
    },
  } satisfies ChannelHarness;
}

describeChannel('over WebSocket', () => connected(webSocketConnect, 'v5.channel.k8s.io'));
describeChannel('over SPDY', () => connected(spdyConnect, `${spdyPrefix}v4.channel.k8s.io`));

test('a WebSocket client that does not read causes backpressure, and receives everything later', async () => {
  await using harness = await connected(webSocketConnect, 'v5.channel.k8s.io');
  const { near, far } = harness;
  let received = 0;
  near.onMessage((message) => {
    received += message.length;
  });
  near.pause?.();
  const chunk = new Uint8Array(256 * 1024);
  let sent = 0;
  for (let i = 0; i < 400 && far.keepsUp; i++) {
    far.send(chunk);
    sent += chunk.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(far.keepsUp).toBe(false);
  near.resume?.();
  await vi.waitFor(() => expect([received, far.keepsUp]).toEqual([sent, true]), { timeout: 15_000 });
});
