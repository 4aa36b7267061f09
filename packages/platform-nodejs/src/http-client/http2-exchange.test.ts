import { once } from 'node:events';
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { afterEach, describe, expect, test } from 'vitest';
import { http2Exchange } from './http2-exchange.js';
import { isCutConnection } from './streaming.js';

interface Arrival {
  readonly stream: ServerHttp2Stream;
  readonly path: string;
  readonly socket: Socket;
}

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** A server without TLS, and a client of it. */
async function served(onRequest: (arrival: Arrival) => void, maxConcurrentStreams = 250) {
  const server = createServer({ settings: { maxConcurrentStreams } });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    onRequest({ stream, path: String(headers[':path']), socket: sockets.at(-1) as Socket });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const exchange = http2Exchange({ server: url, trust: {} });
  endings.push(() => {
    exchange[Symbol.dispose]();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const send = (method: string, path: string, query = ''): Promise<ApiResponse> => {
    const body = method === 'GET' ? {} : { body: { kind: 'bytes', bytes: Buffer.from('{}') } as const };
    const request: ApiRequest = { method, path, query, headers: {}, ...body };
    return exchange.send(request, { headers: {}, identity: {}, credentials: {} }, {});
  };
  return { send, sockets };
}

/** The outcome of a request. One that is still open after a second hangs. */
function outcome(answer: Promise<ApiResponse>): Promise<string> {
  const ended = answer.then(
    ({ status }) => `answer ${status}`,
    (error: unknown) => (isCutConnection(error) ? 'cut' : String(error)),
  );
  return Promise.race([ended, wait(1_000, 'hangs', { ref: false })]);
}

const begin = ({ stream }: Arrival) => {
  stream.respond({ ':status': 200 });
  stream.write('{"a":');
};
const soon = (cut: () => void) => void setTimeout(cut, 20);

describe('a response over HTTP/2 that breaks off fails', () => {
  const cases: readonly (readonly [string, (arrival: Arrival) => void])[] = [
    ['before it begins, because the connection is gone', ({ socket }) => socket.destroy()],
    ['before it begins, because the server ends the connection', ({ socket }) => socket.end()],
    ['before it begins, because the server closes the session', ({ stream }) => stream.session?.destroy()],
    ['before it begins, because the server cancels it', ({ stream }) => stream.close(constants.NGHTTP2_CANCEL)],
    ['before it begins, without a reason', ({ stream }) => stream.close(constants.NGHTTP2_NO_ERROR)],
    ['before it begins, because the server refuses it', ({ stream }) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
    [
      'in its middle, because the connection is gone',
      (arrival) => {
        begin(arrival);
        soon(() => arrival.socket.destroy());
      },
    ],
    [
      'in its middle, because the server closes the session',
      (arrival) => {
        begin(arrival);
        soon(() => arrival.stream.session?.destroy());
      },
    ],
  ];

  test.each(cases.flatMap(([name, cut]) => ['GET', 'POST'].map((method) => ({ name, method, cut }))))(
    '$method $name',
    async ({ method, cut }) => {
      const { send } = await served(cut);
      expect(await outcome(send(method, '/a'))).toBe('cut');
    },
  );

  test('also when it is no gzip as it says', async () => {
    const { send } = await served(({ stream }) => {
      stream.respond({ ':status': 200, 'content-encoding': 'gzip' });
      stream.end('no gzip');
    });
    expect(await outcome(send('GET', '/a'))).toMatch('incorrect header check');
  });
});

test('requests over HTTP/2 beyond the limit of a connection go over another', async () => {
  const { send, sockets } = await served(({ stream, path }) => {
    stream.respond({ ':status': 200 });
    if (path === '/quick') stream.end('{}');
  }, 3);
  expect(await outcome(send('GET', '/quick'))).toBe('answer 200');
  for (let watches = 0; watches < 7; watches++)
    expect(await outcome(send('GET', '/slow', 'watch=true'))).toBe('answer 200');
  expect(await outcome(send('GET', '/quick'))).toBe('answer 200');
  expect(sockets.length).toBe(3);
});
