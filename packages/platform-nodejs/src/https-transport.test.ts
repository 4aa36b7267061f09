import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, type Exchange, isNotFound, notFound } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { type Connection, createClient } from '@coracle/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './http/http-server.js';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
import { type ClusterPki, openClusterPki } from './pki/cluster-pki.js';
import { systemClock } from './system-clock.js';

let pki: ClusterPki;
let server: HttpServer;
let seen: ApiRequest[] = [];
const watchers = new Set<() => void>();

/** Says who asked; a watch sends two events and goes on. */
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
  const folder = await mkdtemp(join(tmpdir(), 'coracle-https-'));
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

afterAll(() => server[Symbol.asyncDispose]());

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
  test('the server knows the client by its certificate', async () => {
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

  test('a watch streams while other requests go on, and the server learns when it is left', async () => {
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

test('a server with a certificate of another authority is not believed, unless one is told to', async () => {
  const { certificateAuthority: _, ...stranger } = connection();
  const { client } = await clientOver({ connection: stranger });
  await expect(client.raw('GET', '/x')).rejects.toThrow(/self.signed|unable to (get|verify)/);
  const { client: careless } = await clientOver({ connection: { ...stranger, insecureSkipTlsVerify: true } });
  expect((await careless.raw('GET', '/x')).status).toBe(200);
});

test('the name in the certificate can be said apart from the address', async () => {
  const { client } = await clientOver({ connection: connection({ tlsServerName: 'kubernetes.default.svc' }) });
  expect((await client.raw('GET', '/x')).status).toBe(200);
  const { client: wrong } = await clientOver({ connection: connection({ tlsServerName: 'other.example' }) });
  await expect(wrong.raw('GET', '/x')).rejects.toThrow(/other\.example/);
});

test('a proxy is asked for a tunnel, with its own credentials', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket, head) => {
    asked.push(request.url, request.headers['proxy-authorization']);
    const upstream = connect(server.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const proxyUrl = `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { transport, client } = await clientOver({ connection: connection({ proxyUrl }) });
  expect((await client.raw('GET', '/x')).body).toMatchObject({ user: 'kubernetes-admin' });
  expect(asked).toEqual([`127.0.0.1:${server.port}`, `Basic ${btoa('me:secret')}`]);
  transport[Symbol.dispose]();
  proxy.close();
});
