import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Channel, channelPair, spdyPrefix } from '@coracle/apimachinery';
import type { Connect } from '@coracle/client';
import { type ChannelHarness, describeChannel } from '@coracle/testing';
import { serveUpgrades } from './http/upgrade.js';
import { spdyConnect } from './spdy-connect.js';
import { type WebSocketConnectOptions, webSocketConnect } from './web-socket-connect.js';

/** The near end is a client's; the far one is what the server opened for it. */
async function connected(client: (options: WebSocketConnectOptions) => Connect, protocol: string) {
  let far: Channel | undefined;
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
