import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import type { ApiResponse, Exchange } from '@coracle/apimachinery';
import { Deferred, silentLogger } from '@coracle/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterPki, openClusterPki } from '../pki/cluster-pki.js';
import { systemClock } from '../system-clock.js';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.js';

let folder: string;
let pki: ClusterPki;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-http-'));
  pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
});
afterAll(() => rm(folder, { recursive: true }));

function start(
  exchange: Exchange,
  tls: Partial<HttpServerOptions['tls']> = {},
  host = '127.0.0.1',
): Promise<HttpServer> {
  return startHttpServer({
    exchange,
    host,
    port: 0,
    tls: { ...pki.server, clientCa: pki.ca.certificate, ...tls },
    maxBodyBytes: 1024,
    logger: silentLogger,
  });
}

const text = (content: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: { kind: 'bytes', chunks: [Buffer.from(content)] },
});

/** A watch that sends one event and then nothing. */
const endless: ApiResponse = {
  status: 200,
  headers: {},
  body: { kind: 'stream', stream: { open: (sink) => void sink.write(Buffer.from('begun\n')) } },
};

interface Answer {
  readonly status: number;
  readonly body: string;
  /** Whether the response ended normally, or was aborted. */
  readonly complete: boolean;
}

function getByHttp1(server: HttpServer, path: string, onBegun?: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ host: '127.0.0.1', port: server.port, path, ca: pki.ca.certificate }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk;
        onBegun?.();
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve({ status: response.statusCode ?? 0, body, complete: response.complete }));
    });
    request.on('error', reject);
    request.end();
  });
}

function getByHttp2(session: ClientHttp2Session, path: string, onBegun?: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let status = 0;
    let body = '';
    let complete = false;
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0;
    });
    stream.on('data', (chunk: Buffer) => {
      body += chunk;
      onBegun?.();
    });
    stream.on('end', () => {
      complete = true;
    });
    stream.on('error', reject);
    stream.on('close', () => resolve({ status, body, complete }));
  });
}

const session = (server: HttpServer) => connect(`https://127.0.0.1:${server.port}`, { ca: pki.ca.certificate });

describe('a server that ends', () => {
  for (const version of ['HTTP/1.1', 'HTTP/2'] as const) {
    const get = (server: HttpServer, path: string, onBegun?: () => void): Promise<Answer> => {
      if (version === 'HTTP/1.1') return getByHttp1(server, path, onBegun);
      const client = session(server);
      return getByHttp2(client, path, onBegun).finally(() => client.destroy());
    };

    test(`SERVE-06 FILTER-07 finishes requests that are under way (${version})`, async () => {
      const requested = new Deferred<void>();
      const ready = new Deferred<ApiResponse>();
      const server = await start(() => {
        requested.resolve();
        return ready.promise;
      });
      const answer = get(server, '/slow');
      await requested.promise;
      const ended = server[Symbol.asyncDispose]();
      ready.resolve(text('done'));
      expect(await answer).toEqual({ status: 200, body: 'done', complete: true });
      await ended;
    });

    test(`SERVE-07 ends watches in order (${version})`, async () => {
      const server = await start(async () => endless);
      const begun = new Deferred<void>();
      const answer = get(server, '/watch', () => begun.resolve());
      await begun.promise;
      await server[Symbol.asyncDispose]();
      expect(await answer).toEqual({ status: 200, body: 'begun\n', complete: true });
    });
  }

  test('takes no new connections', async () => {
    const server = await start(async () => text('here'));
    await server[Symbol.asyncDispose]();
    await expect(getByHttp1(server, '/')).rejects.toThrow('ECONNREFUSED');
  });
});

test('SERVE-03 new connections get a new certificate, open ones continue', async () => {
  await using server = await start(async () => text('ok'));
  const client = session(server);
  await getByHttp2(client, '/');
  const other = await openClusterPki({ folder: join(folder, 'other'), clock: systemClock, serviceAddress: '10.0.0.1' });
  server.setCertificates(other.server);
  expect(await getByHttp2(client, '/')).toMatchObject({ body: 'ok' });
  client.destroy();
  const trusted = await new Promise<boolean>((resolve) => {
    const socket = tlsConnect({ host: '127.0.0.1', port: server.port, ca: other.ca.certificate }, () => {
      resolve(socket.authorized);
      socket.destroy();
    });
  });
  expect(trusted).toBe(true);
});

/** The negotiated TLS parameters. */
async function shake(server: HttpServer, options: ConnectionOptions = {}) {
  return await new Promise<{ cipher: string; version: string | null; names: string }>((resolve, reject) => {
    const { port } = server;
    const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      const names = socket.getPeerX509Certificate()?.subjectAltName ?? '';
      resolve({ cipher: socket.getCipher().standardName, version: socket.getProtocol(), names });
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('a handshake', () => {
  test('SERVE-03 prefers AES with 128 bits, as a server of Go does, unless the client wants ChaCha20 first', async () => {
    await using server = await start(async () => text('ok'));
    expect(await shake(server)).toMatchObject({ cipher: 'TLS_AES_128_GCM_SHA256', version: 'TLSv1.3' });
    const slow = 'TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256';
    expect(await shake(server, { ciphers: slow })).toMatchObject({ cipher: 'TLS_CHACHA20_POLY1305_SHA256' });
  });

  test('SERVE-03 accepts only the configured versions and cipher suites', async () => {
    const settings = {
      cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
    };
    await using chosen = await start(async () => text('ok'), { settings });
    expect((await shake(chosen, { maxVersion: 'TLSv1.2' })).cipher).toMatch(/_WITH_AES_256_GCM_SHA384$/);
    await using modern = await start(async () => text('ok'), { settings: { minVersion: 'VersionTLS13' } });
    await expect(shake(modern, { maxVersion: 'TLSv1.2' })).rejects.toThrow(/version/);
  });

  test('FLAG-08 shows the certificate for the name that the client requests, and another when it has changed', async () => {
    const folders = ['one', 'two', 'three'].map((name) => join(folder, name));
    const [one, two, three] = await Promise.all(
      folders.map((own, i) => openClusterPki({ folder: own, clock: systemClock, serviceAddress: `10.0.0.${i + 1}` })),
    );
    if (!one || !two || !three) throw new Error('there are three');
    const named = [
      { ...one.server, names: ['*.example.com'] },
      { ...two.server, names: ['web.example.com'] },
    ];
    await using server = await start(async () => text('ok'), { named });
    const shown = async (servername: string) => (await shake(server, { servername })).names;
    expect(await shown('any.example.com')).toContain('10.0.0.1');
    expect(await shown('WEB.example.com')).toContain('10.0.0.2');
    expect(await shown('deep.any.example.com')).toContain('10.96.0.1');
    server.setCertificates({ named: [{ ...three.server, names: [] }] });
    expect(await shown('any.example.com')).toContain('10.96.0.1');
    expect(await shown('kubernetes.default.svc')).toContain('10.0.0.3');
  });

  test('FLAG-08 shows the certificate for the address that a client connects to without a name', async () => {
    const folders = ['four', 'five', 'six'].map((name) => join(folder, name));
    const [four, five, six] = await Promise.all(
      folders.map((own, i) => openClusterPki({ folder: own, clock: systemClock, serviceAddress: `10.0.0.${i + 4}` })),
    );
    if (!four || !five || !six) throw new Error('there are three');
    const named = [
      { ...four.server, names: ['127.0.0.2'] },
      { ...five.server, names: ['web.example.com', '127.0.0.3', '::2'] },
    ];
    await using server = await start(async () => text('ok'), { named }, '0.0.0.0');
    const shown = async (host: string, servername?: string) =>
      (await shake(server, { host, ...(servername && { servername }) })).names;
    expect(await shown('127.0.0.1')).toContain('10.96.0.1');
    expect(await shown('127.0.0.2')).toContain('10.0.0.4');
    expect(await shown('127.0.0.3')).toContain('10.0.0.5');
    expect(await shown('127.0.0.2', 'web.example.com')).toContain('10.0.0.5');
    expect(await shown('127.0.0.2', 'other.example.com')).toContain('10.96.0.1');
    server.setCertificates({ named: [{ ...six.server, names: ['127.0.0.3'] }] });
    expect(await shown('127.0.0.2')).toContain('10.96.0.1');
    expect(await shown('127.0.0.3')).toContain('10.0.0.6');
  });
});
