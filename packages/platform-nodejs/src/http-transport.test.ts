import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Connection, createClient } from '@coracle/client';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { httpCacheFiles } from './discovery-cache-file.js';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
import { temporaryFolder } from './temporary-folder.fixture.js';

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function served(handler: Handler): Promise<{ url: string; server: Server }> {
  let count = 0;
  const server = createServer((request, response) => handler(request, response, ++count));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A clock that never waits: retries are immediate. */
const hastyClock = {
  now: () => 0,
  schedule: (_delayMs: number, task: () => void) => {
    const timer = setImmediate(task);
    return { [Symbol.dispose]: () => clearImmediate(timer) };
  },
};

async function clientOf(
  url: string,
  connection: Partial<Connection> = {},
  options: Partial<HttpTransportOptions> = {},
) {
  const transport = await createHttpTransport({
    connection: { server: url, credentials: {}, namespace: 'default', ...connection },
    ...options,
  });
  return { transport, client: createClient({ transport, userAgent: 'test/1' }) };
}

const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

describe('the HTTP transport', () => {
  test('sends credentials and reads responses, also compressed ones', async () => {
    const { url } = await served((request, response) => {
      const { authorization, 'user-agent': agent, 'accept-encoding': encoding } = request.headers;
      const seen = {
        url: request.url,
        authorization,
        agent,
        encoding,
        groups: request.headersDistinct['impersonate-group'],
      };
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(seen)));
    });
    const { client, transport } = await clientOf(`${url}/base`, {
      credentials: { token: 't' },
      impersonate: { user: 'u', groups: ['a', 'b'] },
    });
    expect((await client.raw('GET', '/version?x=1')).body).toEqual({
      url: '/base/version?x=1',
      authorization: 'Bearer t',
      agent: 'test/1',
      encoding: 'gzip',
      groups: ['a', 'b'],
    });
    transport[Symbol.dispose]();
  });

  test('retries a request on Retry-After, a limited number of times', async () => {
    const { url } = await served((request, response, count) =>
      json(response, request.url === '/never' || count < 3 ? 429 : 200, { count }, { 'retry-after': '1' }),
    );
    const { client } = await clientOf(url, {}, { clock: hastyClock, maxRetries: 4 });
    expect(await client.raw('GET', '/soon')).toMatchObject({ status: 200, body: { count: 3 } });
    expect(await client.raw('GET', '/never')).toMatchObject({ status: 429, body: { count: 8 } });
  });

  test('retries a read when the connection was lost, but not a write', async () => {
    const { url } = await served((request, response, count) => {
      if (count === 1 || request.method === 'POST') request.socket.destroy();
      else json(response, 200, { count });
    });
    const { client } = await clientOf(url, {}, { clock: hastyClock });
    expect((await client.raw('GET', '/x')).body).toEqual({ count: 2 });
    await expect(client.raw('POST', '/x', { body: {} })).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('streams a watch line by line and closes the connection when it is left', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { url } = await served((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const text = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ä' } } })}\n`;
      const bytes = Buffer.from(text);
      // In the middle of a letter.
      const cut = bytes.indexOf('ä') + 1;
      response.write(bytes.subarray(0, cut));
      setImmediate(() => response.write(bytes.subarray(cut)));
      request.on('close', () => closed?.());
    });
    const { client } = await clientOf(url);
    for await (const event of client.pods('default').watch()) {
      expect(event).toEqual({ type: 'ADDED', object: { metadata: { name: 'ä' } } });
      break;
    }
    await gone;
  });

  test('stops waiting on abort and on timeout', async () => {
    const { url } = await served(() => {});
    const { client } = await clientOf(url);
    const aborter = new AbortController();
    const waiting = client.raw('GET', '/slow', { signal: aborter.signal });
    aborter.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const { client: hasty } = await clientOf(url, {}, { timeoutMs: 5 });
    await expect(hasty.raw('GET', '/slow')).rejects.toThrow('no answer within 5 ms');
  });

  test('reads a token file again, because it is renewed there', async () => {
    const file = join(await temporaryFolder(), 'token');
    const { url } = await served((request, response) => json(response, 200, { seen: request.headers.authorization }));
    let now = 0;
    const clock = { ...hastyClock, now: () => now };
    await writeFile(file, 'first\n');
    const { client } = await clientOf(url, { credentials: { tokenFile: file } }, { clock });
    const seen = async () => (await client.raw('GET', '/x')).body;
    const before = await seen();
    await writeFile(file, 'second\n');
    const meanwhile = await seen();
    now = 60_000;
    expect([before, meanwhile, await seen()]).toEqual([
      { seen: 'Bearer first' },
      { seen: 'Bearer first' },
      { seen: 'Bearer second' },
    ]);
  });

  test('runs a credential plugin for a token, and again when the server rejects it', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'login.mjs');
    await writeFile(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync('${folder}/runs', 'x');
       const token = readFileSync('${folder}/runs', 'utf8');
       const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
       console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token: token + process.env.SUFFIX } }));`,
    );
    const { url } = await served((request, response) =>
      json(response, request.headers.authorization === 'Bearer xx!' ? 200 : 401, {
        seen: request.headers.authorization,
      }),
    );
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [program],
      env: [{ name: 'SUFFIX', value: '!' }],
      interactiveMode: 'Never' as const,
    };
    const { client } = await clientOf(url, { credentials: { exec } });
    expect(await client.raw('GET', '/x')).toMatchObject({ status: 200, body: { seen: 'Bearer xx!' } });
    expect(await client.raw('GET', '/x')).toMatchObject({ status: 200 });
  });

  test('opens a channel over WebSocket, and throws what the server refuses it with', async () => {
    const { url, server } = await served((_request, response) => json(response, 404, {}));
    const sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url !== '/exec?command=ls') {
        const status = JSON.stringify({
          kind: 'Status',
          status: 'Failure',
          code: 403,
          reason: 'Forbidden',
          message: 'no',
        });
        socket.end(
          `HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: ${status.length}\r\n\r\n${status}`,
        );
        return;
      }
      sockets.handleUpgrade(request, socket, head, (peer) =>
        peer.on('message', (data) => {
          peer.send(data);
          peer.close(1000, 'done');
        }),
      );
    });
    const { transport } = await clientOf(url, { credentials: { token: 't' } });
    const ask = (path: string) =>
      transport.connect!({ path, query: 'command=ls', headers: {}, protocols: ['v5.channel.k8s.io'] });
    const channel = await ask('/exec');
    const got: number[][] = [];
    const closed = new Promise<string>((resolve) => channel.onClose((code, reason) => resolve(`${code} ${reason}`)));
    channel.onMessage((message) => got.push([...message]));
    channel.send(new Uint8Array([0, 1, 2]));
    expect({ protocol: channel.protocol, closed: await closed, got }).toEqual({
      protocol: 'v5.channel.k8s.io',
      closed: '1000 done',
      got: [[0, 1, 2]],
    });
    await expect(ask('/other')).rejects.toMatchObject({ cause: { status: { reason: 'Forbidden' } } });
  });
});

describe('options', () => {
  test('DI-9 OpenAPI documents are read from a file while the server returns 304', async () => {
    const statuses: number[] = [];
    const { url } = await served((request, response) => {
      const status = request.headers['if-none-match'] === '"1"' ? 304 : 200;
      statuses.push(status);
      response.writeHead(status, { etag: '"1"', 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(status === 200 ? gzipSync('{"kind":"APIGroupList"}') : undefined);
    });
    const folder = await temporaryFolder();
    const ask = async () => {
      const { client, transport } = await clientOf(url, {}, { responseFiles: httpCacheFiles(url, folder) });
      using _ = transport;
      return (await client.raw('GET', '/apis')).body;
    };
    expect([await ask(), await ask()]).toEqual([{ kind: 'APIGroupList' }, { kind: 'APIGroupList' }]);
    expect(statuses).toEqual([200, 304]);
  });

  test('RC-8 requests back off from a failing server', async () => {
    const { url } = await served((_, response, count) => response.writeHead(count < 3 ? 500 : 200).end());
    const waits: number[] = [];
    const clock = {
      ...hastyClock,
      schedule: (delayMs: number, task: () => void) => {
        waits.push(delayMs);
        return hastyClock.schedule(delayMs, task);
      },
    };
    const { client, transport } = await clientOf(url, {}, { clock, backoff: { initialMs: 10, maxMs: 15 } });
    using _ = transport;
    for (let i = 0; i < 4; i++) await client.raw('GET', '/x');
    expect(waits).toEqual([10, 15]);
  });
});
