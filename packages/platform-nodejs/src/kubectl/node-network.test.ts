import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { channelPair } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import type { LocalHttpRequest, LocalHttpResponse, LocalUpgrade } from '@coracle/kubectl';
import { expect, test } from 'vitest';
import { nodeNetwork } from './node-network.js';

type Handle = (request: LocalHttpRequest) => Promise<LocalHttpResponse>;

async function serve(handle: Handle, open?: (upgrade: LocalUpgrade) => Promise<ReturnType<typeof channelPair>[0]>) {
  const server = await nodeNetwork().serveHttp({ host: '127.0.0.1', port: 0 }, handle, open);
  return { port: Number(server.address.split(':').at(-1)), [Symbol.dispose]: () => server[Symbol.dispose]() };
}

/** Resolves when the head of the response has arrived. */
function begin(port: number): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      response.on('error', () => undefined);
      resolve(response);
    });
  });
}

test('an endless response is aborted when its client disconnects', async () => {
  const gone = new Deferred<void>();
  const closed = new Deferred<void>();
  using server = await serve(async ({ signal }) => {
    signal?.addEventListener('abort', () => gone.resolve());
    const body = async function* () {
      try {
        await gone.promise;
        yield Buffer.from('too late');
      } finally {
        closed.resolve();
      }
    };
    return { status: 200, headers: {}, body: body() };
  });
  const response = await begin(server.port);
  response.destroy();
  await closed.promise;
});

test('no more of a response is read than its client takes', async () => {
  let made = 0;
  const closed = new Deferred<void>();
  using server = await serve(async () => {
    const body = async function* () {
      try {
        for (; made < 1_000; made++) {
          yield Buffer.alloc(64 * 1024);
          await new Promise(setImmediate);
        }
      } finally {
        closed.resolve();
      }
    };
    return { status: 200, headers: {}, body: body() };
  });
  const response = await begin(server.port);
  response.pause();
  for (let last = -1; last !== made; ) {
    last = made;
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  }
  expect(made).toBeLessThan(500);
  response.destroy();
  await closed.promise;
});

test('a client that resets its connection before it is upgraded has no effect', async () => {
  const [received, closed, ready] = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
  using server = await serve(
    async () => ({ status: 200, headers: {}, body: [] }),
    async () => {
      received.resolve();
      await ready.promise;
      const [ours, theirs] = channelPair('SPDY/3.1+v4.channel.k8s.io');
      ours.onClose(() => closed.resolve());
      return theirs;
    },
  );
  const head = ['GET / HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
  const client = connect(server.port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write([...head, 'X-Stream-Protocol-Version: v4.channel.k8s.io', '', ''].join('\r\n'));
  await received.promise;
  client.resetAndDestroy();
  await (await begin(server.port)).toArray();
  ready.resolve();
  await closed.promise;
});
