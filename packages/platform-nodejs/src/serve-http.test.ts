import type { ApiRequest, ByteSink, Exchange } from '@coracle/apimachinery';
import { channelPair, notFound } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveUpgrades } from './http/upgrade.js';
import { serveHttp } from './serve-http.js';

async function serving(exchange: Exchange): Promise<{ readonly url: string } & AsyncDisposable> {
  let port = 0;
  const server = await serveHttp({ port: 0, onListening: (at) => void (port = at) })(exchange);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('an exchange receives requests over HTTP', async () => {
  const requests: ApiRequest[] = [];
  await using server = await serving(async (request) => {
    requests.push(request);
    const chunks = [new TextEncoder().encode('ok')];
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: { kind: 'bytes', chunks } };
  });
  const response = await fetch(`${server.url}/healthz?verbose`, { method: 'POST', body: 'hello' });
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'text/plain',
    'ok',
  ]);
  const [{ method, path, query, body }] = requests as [ApiRequest];
  expect({ method, path, query }).toEqual({ method: 'POST', path: '/healthz', query: 'verbose' });
  expect(new TextDecoder().decode((body as { readonly bytes: Uint8Array }).bytes)).toBe('hello');
});

test('a thrown error is a Status response', async () => {
  await using server = await serving(() => Promise.reject(notFound({ group: '', resource: 'pods' }, 'web')));
  const response = await fetch(server.url);
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    404,
    'pods "web" not found',
  ]);
});

test('a stream that fails when it begins ends its connection, and nothing else', async () => {
  const failing = {
    open: () => {
      throw new Error('it cannot be read');
    },
  };
  await using server = await serving(async ({ path }) =>
    path === '/ok'
      ? { status: 204, headers: {}, body: { kind: 'empty' } }
      : { status: 200, headers: {}, body: { kind: 'stream', stream: failing } },
  );
  await expect(fetch(`${server.url}/stream`).then((response) => response.text())).rejects.toThrow();
  expect((await fetch(`${server.url}/ok`)).status).toBe(204);
});

test('a stream whose client has disconnected before it begins is closed', async () => {
  const [received, ready, closed] = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
  const sent: string[] = [];
  await using server = await serving(async ({ signal }) => {
    signal?.addEventListener('abort', () => ready.resolve());
    received.resolve();
    await ready.promise;
    const stream = { open: (sink: ByteSink) => sink.onClose(() => closed.resolve()) };
    return { status: 200, headers: {}, body: { kind: 'stream', stream }, onSent: () => sent.push('sent') };
  });
  const client = new AbortController();
  const response = fetch(server.url, { signal: client.signal });
  await received.promise;
  client.abort();
  await expect(response).rejects.toThrow();
  await closed.promise;
  expect(sent).toEqual(['sent']);
});

test('a port that is taken is reported', async () => {
  await using server = await serving(async () => ({ status: 204, headers: {}, body: { kind: 'empty' } }));
  const port = Number(new URL(server.url).port);
  await expect(
    serveHttp({ port })(async () => ({ status: 204, headers: {}, body: { kind: 'empty' } })),
  ).rejects.toThrow('EADDRINUSE');
});

test('it ends with connections that were upgraded', async () => {
  let port = 0;
  const closed: string[] = [];
  const server = await serveHttp({
    port: 0,
    onListening: (at) => void (port = at),
    onUpgrade: serveUpgrades(async () => {
      const [ours, theirs] = channelPair('a.test');
      ours.onClose(() => closed.push('server'));
      return theirs;
    }),
  })(async () => ({ status: 204, headers: {}, body: { kind: 'empty' } }));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ['a.test']);
  await new Promise((resolve) => socket.once('open', resolve));
  const disconnected = new Promise((resolve) => socket.once('close', resolve));
  await server[Symbol.asyncDispose]();
  await disconnected;
  expect(closed).toEqual(['server']);
});
