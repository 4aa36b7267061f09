import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ApiRequest, ApiResponse, Channel } from '@coracle/apimachinery';
import { nextTurn } from '@coracle/base';
import { expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';
import { readOverChannel } from './read-over-channel.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (message: Uint8Array) => new TextDecoder().decode(message);
const peer = { user: { name: 'admin', groups: ['system:masters'] } };

function request(path: string, query = ''): ApiRequest {
  return { method: 'GET', path, query, headers: { accept: 'application/json' }, peer };
}

const log: ApiResponse = {
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: { kind: 'bytes', chunks: [bytes('one\n'), bytes('two\n')] },
};

async function serverWithLogs(): Promise<TestServer> {
  return await startTestServer({ subresources: () => ({ '/pods/log': { handle: async () => log } }) });
}

/** Messages until the other side closes, and how it closes. */
function listen(channel: Channel): { readonly messages: string[]; closed: number } {
  const result = { messages: [] as string[], closed: 0 };
  channel.onMessage((message) => result.messages.push(text(message)));
  channel.onClose((code) => {
    result.closed = code;
  });
  return result;
}

test.each([
  [['binary.k8s.io'], 'binary.k8s.io', ['one\n', 'two\n']],
  [['other', 'base64.binary.k8s.io'], 'base64.binary.k8s.io', ['b25lCg==', 'dHdvCg==']],
  [[], '', ['one\n', 'two\n']],
])('logs are read over a channel: client offers %j', async (offered, protocol, expected) => {
  const { server } = await serverWithLogs();
  const opened = await server.upgrade(request('/api/v1/namespaces/default/pods/web/log'), offered);
  if ('status' in opened) throw new Error('no channel');
  expect([opened.protocol, opened.isText ?? false]).toEqual([protocol, false]);
  expect(listen(opened)).toEqual({ messages: expected, closed: 1000 });
});

test('an unknown protocol is a bad request', async () => {
  const { server } = await serverWithLogs();
  const answer = await server.upgrade(request('/api/v1/namespaces/default/pods/web/log'), ['v9.example.com']);
  expect(answer).toMatchObject({ status: 400 });
});

test('a watch is read over a channel, one text message for each event, until the client disconnects', async () => {
  const { server, call } = await startTestServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const opened = await server.upgrade(request(path, 'watch=true'), []);
  if ('status' in opened) throw new Error('no channel');
  expect(opened.isText).toBe(true);
  const { messages } = listen(opened);
  for (const name of ['a', 'b']) await call('POST', path, { metadata: { name } });
  await expect
    .poll(() => messages.map((event) => [JSON.parse(event).type, JSON.parse(event).object.metadata.name]))
    .toEqual([
      ['ADDED', 'a'],
      ['ADDED', 'b'],
    ]);
  opened[Symbol.dispose]();
  await call('POST', path, { metadata: { name: 'c' } });
  expect(messages).toHaveLength(2);
});

test('events are separated for any chunks of the stream', () => {
  const upgrade: { readonly protocols: readonly string[]; channel?: Channel } = { protocols: [] };
  const chunks = ['{"a":1}\n{"b"', ':2}', '\n'].map(bytes);
  const response: ApiResponse = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks },
  };
  expect(readOverChannel(upgrade, response, 'watch').status).toBe(101);
  expect(listen(upgrade.channel as Channel).messages).toEqual(['{"a":1}', '{"b":2}']);
});

test('a refusal is a response, not a failure', async () => {
  const { server } = await startTestServer();
  expect(await server.upgrade(request('/api/v1/nonsense', 'watch=1'), [])).toMatchObject({ status: 404 });
});

test('a watch over a channel whose client does not read ends like any other, and keeps no memory', async () => {
  const { server, call, clock } = await startTestServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const opened = await server.upgrade(request(path, 'watch=true'), []);
  if ('status' in opened) throw new Error('no channel');
  const seen = listen(opened);
  opened.pause?.();
  for (let i = 0; i < 150; i++) await call('POST', path, { metadata: { name: `c-${i}` } });
  await clock.advance(1_000);
  expect(seen.closed).toBe(1000);
  // The event by which the pause was noticed.
  expect(seen.messages.length).toBeLessThanOrEqual(1);
});

test('a watch over a channel continues after a pause, with the events meanwhile', async () => {
  const { server, call } = await startTestServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const opened = await server.upgrade(request(path, 'watch=true'), []);
  if ('status' in opened) throw new Error('no channel');
  const seen = listen(opened);
  opened.pause?.();
  for (let i = 0; i < 5; i++) await call('POST', path, { metadata: { name: `c-${i}` } });
  const before = seen.messages.length;
  opened.resume?.();
  expect([before < 5, seen.messages.length]).toEqual([true, 5]);
});

test('what the client of a watch sends is not kept', async () => {
  const { server } = await startTestServer();
  const opened = await server.upgrade(request('/api/v1/namespaces/default/configmaps', 'watch=true'), []);
  if ('status' in opened) throw new Error('no channel');
  listen(opened);
  const sent = Array.from({ length: 10 }, () => {
    const message = new Uint8Array(1_000);
    opened.send(message);
    return new WeakRef(message);
  });
  // A reference that was just made keeps its object until the end of the turn.
  await nextTurn();
  collectGarbage();
  expect(sent.filter((message) => message.deref() !== undefined)).toEqual([]);
});
