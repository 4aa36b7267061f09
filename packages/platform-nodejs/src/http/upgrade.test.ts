import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Channel, channelPair, failure, StatusError } from '@coracle/apimachinery';
import type { ApiServer } from '@coracle/apiserver';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveUpgrades } from './upgrade.js';

let server: Server | undefined;
afterEach(() => server?.close());

/** The address of a server that upgrades every connection to a channel of `open`. */
async function serve(open: ApiServer['upgrade']): Promise<string> {
  const upgrade = serveUpgrades(open);
  server = createServer();
  server.on('upgrade', (incoming, socket, head) =>
    upgrade({ request: { method: 'GET', path: incoming.url ?? '', query: '', headers: {} }, incoming, socket, head }),
  );
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Echoes every message, and closes on `bye`. */
function echo(protocol: string): Channel {
  const [ours, theirs] = channelPair(protocol);
  ours.onMessage((message) => {
    if (new TextDecoder().decode(message) === 'bye') ours[Symbol.dispose]();
    else ours.send(message);
  });
  return theirs;
}

describe('EXEC-17 over WebSocket', () => {
  test('messages go both ways in the protocol that the channel chose', async () => {
    const address = await serve(async (_request, protocols) => echo(protocols[1] ?? ''));
    const socket = new WebSocket(`ws://${address}`, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
    const message = new Promise<string>((resolve) => socket.on('message', (data) => resolve(String(data))));
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('open', () => {
      socket.send(Buffer.from('hello'));
      socket.send(Buffer.from('bye'));
    });
    expect(await message).toBe('hello');
    expect(socket.protocol).toBe('v4.channel.k8s.io');
    expect(await closed).toBe(1000);
  });

  test('names of protocols may have a slash, as the one in which kubectl forwards ports has', async () => {
    const offered = 'SPDY/3.1+portforward.k8s.io, v4.channel.k8s.io';
    const address = await serve(async (_request, protocols) => echo(protocols[0] ?? ''));
    const socket = new WebSocket(`ws://${address}`, { headers: { 'sec-websocket-protocol': offered } });
    const chosen = await new Promise((resolve) => {
      socket.on('upgrade', ({ headers }) => resolve(headers['sec-websocket-protocol']));
      socket.on('error', () => {});
    });
    socket.terminate();
    expect(chosen).toBe('SPDY/3.1+portforward.k8s.io');
  });

  test('messages that are sent at once arrive one by one, and before the end', async () => {
    const address = await serve(async () => {
      const [ours, theirs] = channelPair('v4.channel.k8s.io');
      for (let number = 0; number < 100; number++) ours.send(Uint8Array.of(number));
      ours[Symbol.dispose]();
      return theirs;
    });
    const socket = new WebSocket(`ws://${address}`, ['v4.channel.k8s.io']);
    const events: number[] = [];
    socket.on('message', (data: Buffer) => events.push(...data));
    await new Promise((resolve) => socket.on('close', resolve));
    expect(events).toEqual(Array.from({ length: 100 }, (_, number) => number));
  });

  test('a refusal is answered as the failure that it is', async () => {
    const address = await serve(async () => {
      throw failure('NotFound', 'pods "x" not found');
    });
    const socket = new WebSocket(`ws://${address}`, ['v5.channel.k8s.io']);
    const status = await new Promise<number | undefined>((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(404);
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly protocol: string | string[] | undefined;
  readonly body: string;
}

/** Requests an upgrade; sends `say` if it is granted, and reads until the end. */
function ask(address: string, headers: Record<string, string | string[]>, say = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`http://${address}/`, {
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', ...headers },
    });
    const read = (status: number | undefined, protocol: Answer['protocol'], stream: NodeJS.ReadableStream) => {
      let body = '';
      stream.on('data', (chunk: Buffer) => {
        body += chunk;
      });
      stream.on('end', () => resolve({ status, protocol, body }));
    };
    outgoing.on('upgrade', (answer, socket) => {
      read(answer.statusCode, answer.headers['x-stream-protocol-version'], socket);
      for (const word of say.split(' ')) setImmediate(() => socket.write(word));
      setTimeout(() => socket.write('bye'), 50);
    });
    outgoing.on('response', (answer) => read(answer.statusCode, undefined, answer));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('EXEC-04 over SPDY', () => {
  test('EXEC-13 the connection carries the bytes of the channel, and the protocol is negotiated', async () => {
    const offered: string[] = [];
    const address = await serve(async (_request, protocols) => {
      offered.push(...protocols);
      return echo(protocols[0] ?? '');
    });
    const names = ['v4.channel.k8s.io', 'v3.channel.k8s.io'];
    const answer = await ask(address, { 'x-stream-protocol-version': names }, 'hello');
    expect(answer).toEqual({ status: 101, protocol: 'v4.channel.k8s.io', body: 'hello' });
    expect(offered).toEqual(['SPDY/3.1+v4.channel.k8s.io', 'SPDY/3.1+v3.channel.k8s.io']);
  });

  const refusals = [
    {
      what: 'a client that names no protocol',
      headers: {},
      status: 400,
      body: 'X-Stream-Protocol-Version is required',
    },
    {
      what: 'a client that wants something else',
      headers: { upgrade: 'h2c', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
      status: 400,
      body: 'unknown protocol',
    },
  ];
  test.each(refusals)('$what is refused', async ({ headers, status, body }) => {
    const address = await serve(async (_request, protocols) => echo(protocols[0] ?? ''));
    const answer = await ask(address, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(body);
  });

  test('what the other end answers instead is passed on as it is', async () => {
    const address = await serve(async () => ({
      status: 500,
      headers: { 'content-type': 'text/plain' },
      body: { kind: 'bytes', chunks: [Buffer.from('container not found ("x")')] },
    }));
    const answer = await ask(address, { 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    expect(answer).toMatchObject({ status: 500, body: 'container not found ("x")' });
  });

  test('a failure is a status', async () => {
    const address = await serve(async () => {
      throw failure('Forbidden', 'no');
    });
    const answer = await ask(address, { 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    expect(answer.status).toBe(403);
    expect(new StatusError(JSON.parse(answer.body)).message).toBe('no');
  });
});
