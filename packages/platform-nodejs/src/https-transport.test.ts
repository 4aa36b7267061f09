import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, type Exchange, isNotFound, notFound } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { type Connection, createClient } from '@coracle/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './http/http-server.js';
import { startHttpProxy, startSocksProxy } from './http-client/proxies.fixture.js';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
import { type ClusterPki, openClusterPki } from './pki/cluster-pki.js';
import { systemClock } from './system-clock.js';

let folder: string;
let pki: ClusterPki;
let server: HttpServer;
let seen: ApiRequest[] = [];
const watchers = new Set<() => void>();

/** Returns the user; a watch sends two events and stays open. */
const exchange: Exchange = async (request) => {
  seen.push(request);
  const headers = { 'content-type': 'application/json' };
  const encode = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  if (request.path.endsWith('/none')) {
    const { status } = notFound({ group: '', resource: 'pods' }, 'none');
    return { status: 404, headers, body: { kind: 'bytes', chunks: [encode(status)] } };
  }
  if (!request.query.includes('watch=true'))
    return {
      status: 200,
      headers,
      body: {
        kind: 'bytes',
        chunks: [
          encode({
            user: request.peer?.certificate?.commonName,
            size: request.body?.kind === 'bytes' && request.body.bytes.length,
          }),
        ],
      },
    };
  return {
    status: 200,
    headers,
    body: {
      kind: 'stream',
      stream: {
        open: (sink) => {
          const closed = () => void watchers.delete(closed);
          watchers.add(closed);
          sink.onClose(closed);
          for (const name of ['a', 'b']) sink.write(encode({ type: 'ADDED', object: { metadata: { name } } }));
        },
      },
    },
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-https-'));
  pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  const tls = { certificate: pki.server.certificate, key: pki.server.key, clientCa: pki.ca.certificate };
  server = await startHttpServer({
    exchange,
    host: '127.0.0.1',
    port: 0,
    tls,
    maxBodyBytes: 3_000_000,
    logger: silentLogger,
  });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function connection(more: Partial<Connection> = {}): Connection {
  return {
    server: `https://127.0.0.1:${server.port}`,
    certificateAuthority: { data: pki.ca.certificate },
    credentials: { clientCertificate: { data: pki.admin.certificate }, clientKey: { data: pki.admin.key } },
    namespace: 'default',
    ...more,
  };
}

async function clientOver(options: Partial<HttpTransportOptions> = {}) {
  seen = [];
  const transport = await createHttpTransport({ connection: connection(), ...options });
  return { transport, client: createClient({ transport }) };
}

describe.each([{ http2: false }, { http2: true }])('over TLS (HTTP/2: $http2)', ({ http2 }) => {
  test('the server identifies the client by its certificate', async () => {
    const { transport, client } = await clientOver({ http2 });
    expect((await client.raw('GET', '/whoami')).body).toMatchObject({ user: 'kubernetes-admin' });
    transport[Symbol.dispose]();
  });

  test('bodies arrive whole, many at once', async () => {
    const { transport, client } = await clientOver({ http2 });
    const sizes = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const body = new Uint8Array(i * 50_000 + 1);
        return ((await client.raw('POST', '/x', { body })).body as { size: number }).size === body.length;
      }),
    );
    expect(sizes.every(Boolean)).toBe(true);
    transport[Symbol.dispose]();
  });

  test('failures come as what they are', async () => {
    const { transport, client } = await clientOver({ http2 });
    await expect(client.pods('default').get('none')).rejects.toSatisfy(isNotFound);
    transport[Symbol.dispose]();
  });

  test('a watch streams while other requests go on, and the server is notified when the client closes it', async () => {
    const { transport, client } = await clientOver({ http2 });
    const names: (string | undefined)[] = [];
    for await (const event of client.pods('default').watch()) {
      if (event.type === 'ADDED') names.push(event.object.metadata.name);
      await client.raw('GET', '/meanwhile');
      if (names.length === 2) break;
    }
    await client.raw('GET', '/after');
    while (watchers.size > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(names).toEqual(['a', 'b']);
    transport[Symbol.dispose]();
  });
});

test('a server with a certificate of another authority is refused, except with insecure-skip-tls-verify', async () => {
  const { certificateAuthority: _, ...stranger } = connection();
  const { client } = await clientOver({ connection: stranger });
  await expect(client.raw('GET', '/x')).rejects.toThrow(/self.signed|unable to (get|verify)/);
  const { client: careless } = await clientOver({ connection: { ...stranger, insecureSkipTlsVerify: true } });
  expect((await careless.raw('GET', '/x')).status).toBe(200);
});

test('the name in the certificate can differ from the address', async () => {
  const { client } = await clientOver({ connection: connection({ tlsServerName: 'kubernetes.default.svc' }) });
  expect((await client.raw('GET', '/x')).status).toBe(200);
  const { client: wrong } = await clientOver({ connection: connection({ tlsServerName: 'other.example' }) });
  await expect(wrong.raw('GET', '/x')).rejects.toThrow(/other\.example/);
});

describe('through a proxy', () => {
  const through = async (proxyUrl: string) => {
    const { transport, client } = await clientOver({ connection: connection({ proxyUrl }), http2: true });
    try {
      const { body } = await client.raw('GET', '/x');
      for await (const event of client.pods('default').watch()) return { body, event: event.type };
      return { body };
    } finally {
      transport[Symbol.dispose]();
    }
  };
  const reached = () => ({ body: expect.objectContaining({ user: 'kubernetes-admin' }), event: 'ADDED' });

  test.each([
    ['with CONNECT', startHttpProxy, 'http', undefined],
    ['with CONNECT and credentials', startHttpProxy, 'http', 'me:se%40cret'],
    ['of SOCKS5', startSocksProxy, 'socks5', undefined],
    ['of SOCKS5 and credentials', startSocksProxy, 'socks5', 'me:se%40cret'],
  ])('%s, TLS is with the server', async (_, start, scheme, credentials) => {
    await using proxy = await start(credentials && { username: 'me', password: 'se@cret' });
    const url = `${scheme}://${credentials ? `${credentials}@` : ''}127.0.0.1:${proxy.port}`;
    expect(await through(url)).toEqual(reached());
    expect(new Set(proxy.requests)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  });

  test.each([
    ['with CONNECT', startHttpProxy, 'http', /the proxy answered 407 to CONNECT/],
    ['of SOCKS5', startSocksProxy, 'socks5', /no acceptable authentication methods/],
  ])('%s that requires credentials, without them', async (_, start, scheme, message) => {
    await using proxy = await start({ username: 'me', password: 'secret' });
    await expect(through(`${scheme}://127.0.0.1:${proxy.port}`)).rejects.toThrow(message);
  });

  test('of SOCKS5 with wrong credentials', async () => {
    await using proxy = await startSocksProxy({ username: 'me', password: 'secret' });
    await expect(through(`socks5://me:wrong@127.0.0.1:${proxy.port}`)).rejects.toThrow(
      'username/password authentication failed',
    );
  });

  test('of SOCKS5 that cannot reach the server', async () => {
    await using proxy = await startSocksProxy();
    const { client } = await clientOver({
      connection: connection({ server: 'https://127.0.0.1:1', proxyUrl: `socks5://127.0.0.1:${proxy.port}` }),
    });
    await expect(client.raw('GET', '/x')).rejects.toThrow(
      `socks connect 127.0.0.1:${proxy.port}->127.0.0.1:1: connection refused`,
    );
  });
});
