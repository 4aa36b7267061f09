import type { RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { type DialAddress, type OutboundTls, readBounded } from '@coracle/apiserver';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from '../pki/certificates.js';
import type { KeyPair } from '../pki/key-pair.js';
import { systemClock } from '../system-clock.js';
import { createDialer } from './http-dialer.js';

const dayMs = 24 * 3_600_000;
const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
let authority: KeyPair;
let serving: KeyPair;
let client: KeyPair;
beforeAll(async () => {
  authority = await createAuthority('hooks-ca', validity);
  const names = { dnsNames: ['hook.shop.svc'], ipAddresses: ['127.0.0.1'] };
  serving = await issueCertificate(authority, { commonName: 'hook', usage: 'server', ...names, ...validity });
  client = await issueCertificate(authority, { commonName: 'apiserver', usage: 'client', ...validity });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<DialAddress> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    scheme: 'https',
    host: '127.0.0.1',
    port,
    serverName: 'hook.shop.svc',
    tls: { caBundle: authority.certificate },
  };
}

const serve = (handler: RequestListener, more: object = {}): Promise<DialAddress> =>
  listen(createServer({ cert: serving.certificate, key: serving.key, ...more }, handler));

const request = {
  method: 'POST',
  path: '/x',
  query: 'timeout=10s',
  headers: {},
  body: { kind: 'value', value: { a: 1 } },
} as const;

/** The response of an address, or the error. */
async function ask(to: DialAddress, more: { tls?: OutboundTls; timeoutMs?: number } = {}): Promise<string> {
  using dialer = createDialer();
  const bounds = { timeoutMs: more.timeoutMs ?? 2_000, maxBytes: 1_000, clock: systemClock };
  const address = { ...to, tls: { ...to.tls, ...more.tls } };
  try {
    const { status, bytes } = await readBounded((signal) => dialer.request(address, { ...request, signal }), bounds);
    return `${status} ${new TextDecoder().decode(bytes)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

test('a request arrives with its path, its name and its body', async () => {
  const address = await serve((incoming, response) => {
    let text = '';
    incoming.on('data', (chunk) => (text += chunk));
    incoming.on('end', () =>
      response.end(`${incoming.method} ${incoming.url} ${text} ${incoming.headers.host?.split(':')[0]}`),
    );
  });
  expect(await ask(address)).toBe('200 POST /x?timeout=10s {"a":1} hook.shop.svc');
});

test('a client certificate is shown to servers that request it', async () => {
  const address = await serve((_incoming, response) => response.end('known'), {
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const tls = { clientCertificate: client.certificate, clientKey: client.key };
  expect(await ask(address, { tls })).toBe('200 known');
  expect(await ask(address)).not.toContain('200');
});

test('an untrusted certificate is refused, unless verification is off', async () => {
  const address = await serve((_incoming, response) => response.end('ok'));
  const other = await createAuthority('other-ca', validity);
  const tls = { caBundle: other.certificate };
  const refused = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  expect([await ask(address, { tls }), await ask(address, { tls: { ...tls, insecureSkipVerify: true } })]).toEqual([
    refused,
    '200 ok',
  ]);
});

test('a redirect is an answer like any other', async () => {
  const address = await serve((_incoming, response) =>
    response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
  );
  expect(await ask(address)).toBe('302 ');
});

test('an endless response is aborted at its limit', async () => {
  const address = await serve((_incoming, response) => {
    const timer = setInterval(() => response.write('x'.repeat(500)), 1);
    response.on('close', () => clearInterval(timer));
  });
  expect(await ask(address)).toBe('the response body is larger than 1000 bytes');
});

test('a server that does not respond times out', async () => {
  const address = await serve(() => {});
  expect(await ask(address, { timeoutMs: 50 })).toBe('context deadline exceeded');
});

test('an answer that breaks off is none', async () => {
  const address = await serve((_incoming, response) => {
    response.write('the beginning');
    setTimeout(() => response.destroy(), 20);
  });
  expect(await ask(address)).toBe('unexpected EOF');
});

test('connection errors include the address', async () => {
  const closed = await listen(createTcpServer());
  for (const server of servers.splice(0)) server.close();
  expect(await ask(closed)).toBe(`dial tcp 127.0.0.1:${closed.port}: connect: connection refused`);
  const resetting = await listen(createTcpServer((socket) => socket.resetAndDestroy()));
  expect(await ask(resetting)).toContain('connection reset by peer');
});

test.each([
  ['WebSocket', 'v4.channel.k8s.io'],
  ['SPDY', 'SPDY/3.1+v4.channel.k8s.io'],
])('a server that answers instead of opening a channel over %s is passed on as it is', async (_name, protocol) => {
  const address = await serve((_incoming, response) => {
    response.writeHead(500, { 'content-type': 'text/plain', connection: 'close' }).end('container not found ("x")');
  });
  using dialer = createDialer();
  const opened = await dialer.connect(address, request, [protocol]);
  if (!('status' in opened) || opened.body.kind !== 'bytes') throw new Error('there is no answer');
  expect(opened).toMatchObject({ status: 500, headers: { 'content-type': 'text/plain' } });
  expect(Object.keys(opened.headers)).not.toContain('connection');
  expect(opened.body.chunks.map((chunk) => new TextDecoder().decode(chunk))).toEqual(['container not found ("x")']);
});

test('HTTP/2-only servers get HTTP/2', async () => {
  const seen: string[] = [];
  const server = createSecureServer({ cert: serving.certificate, key: serving.key }, async (incoming, answer) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    seen.push(`${incoming.httpVersion} ${incoming.headers[':authority']} ${incoming.url} ${body}`);
    answer.end('well');
  });
  const to = await listen(server);
  using dialer = createDialer();
  const bounds = { timeoutMs: 20_000, maxBytes: 1_000, clock: systemClock };
  for (let i = 0; i < 2; i++) {
    const { status, bytes } = await readBounded((signal) => dialer.request(to, { ...request, signal }), bounds);
    expect(`${status} ${new TextDecoder().decode(bytes)}`).toBe('200 well');
  }
  const line = `2.0 hook.shop.svc:${to.port} /x?timeout=10s {"a":1}`;
  expect(seen).toEqual([line, line]);
});

test('an HTTP/2 server that closes, responds too late or is not trusted', async () => {
  const server = createSecureServer({ cert: serving.certificate, key: serving.key }, (incoming) => {
    if (incoming.url.startsWith('/x')) incoming.stream.close(2);
  });
  const to = await listen(server);
  expect(await ask(to)).toMatch(/127\.0\.0\.1:\d+/);
  expect(await ask({ ...to, tls: {} })).toMatch(/x509: certificate signed by unknown authority/);
  const silent = await listen(createSecureServer({ cert: serving.certificate, key: serving.key }, () => undefined));
  expect(await ask(silent, { timeoutMs: 300 })).toMatch(/deadline|timeout|exceeded/i);
});
