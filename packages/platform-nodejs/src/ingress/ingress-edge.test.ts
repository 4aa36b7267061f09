import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, connect as connectSocket, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DisposableStack, noMetrics, silentLogger } from '@coracle/base';
import { type BackendTarget, type CertificatePair, type Listener, RoutingTable } from '@coracle/ingress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createAuthority } from '../pki/certificates.js';
import { createSystemRandom } from '../system-random.js';
import { NodeIngressEdge } from './ingress-edge.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Route = Listener['routes'][number];

describe('the router on sockets', { timeout: 60_000 }, () => {
  const parts = new DisposableStack();
  const endpoints = new Map<string, { address: string; port: number }[]>();
  const pairs = new Map<string, CertificatePair>();
  let edge: NodeIngressEdge;

  beforeAll(async () => {
    const window = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    for (const name of ['fallback', 'foo.com', 'bar.com']) pairs.set(name, await createAuthority(name, window));
    edge = parts.use(
      new NodeIngressEdge({
        endpointsOf: ({ service }) => {
          if (service === 'defect') throw new Error('a defect');
          return (endpoints.get(service) ?? []).map((one) => ({
            ...{ ready: true, serving: true, terminating: false, nodeName: '', zones: [], nodes: [] },
            ...one,
          }));
        },
        // Any free port: each test looks up which.
        listenPortOf: () => 0,
        defaultCertificate: async () => pairOf('fallback'),
        random: createSystemRandom(),
        logger: silentLogger,
        metrics: noMetrics,
      }),
    );
  });
  afterAll(() => parts[Symbol.asyncDispose]());

  const pairOf = (name: string) => pairs.get(name) ?? { certificate: '', key: '' };
  async function listen(server: Server): Promise<{ address: string; port: number }> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }
  async function backend(service: string, handler: Handler): Promise<Disposable & { port: number }> {
    const server = createServer(handler);
    const at = await listen(server);
    endpoints.set(service, [...(endpoints.get(service) ?? []), at]);
    parts.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    const leave = () => {
      endpoints.set(
        service,
        (endpoints.get(service) ?? []).filter(({ port }) => port !== at.port),
      );
      server.close();
    };
    return { port: at.port, [Symbol.dispose]: leave };
  }
  const route = (service: string, more: Partial<Route['action']> & { path?: string; protocol?: 'h2c' } = {}): Route => {
    const { path = '/', protocol = 'http', ...action } = more;
    const target: BackendTarget = { service, portName: '', protocol };
    return {
      hostname: '',
      oneLabel: false,
      isDefault: false,
      match: { path: { type: 'Prefix', value: path }, headers: [], query: [] },
      action: { filters: [], timeouts: {}, backends: [{ weight: 1, target, filters: [] }], ...action },
      origin: { createdAt: '', key: service, rule: 0 },
    };
  };
  const plain = (port: number, ...routes: Route[]): Listener => ({
    ...{ port, tls: false, hostname: '', certificates: [], kind: 'ingress' as const },
    routes,
  });
  async function serve(...listeners: Listener[]): Promise<(port: number) => number> {
    expect(await edge.serve(new RoutingTable(listeners))).toEqual(new Map());
    return (port) => edge.listenPort(port) ?? 0;
  }
  const get = (port: number, path = '/', init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const name: (text: string) => Handler = (text) => (_, response) => void response.end(text);

  test('requests, their bodies and what the backend learns of the client', async () => {
    await backend('echo', (request, response) => {
      response.setHeader('x-seen', JSON.stringify(request.headers));
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.statusCode = 201;
      request.pipe(response);
    });
    const at = await serve(plain(80, route('echo')));
    const answer = await get(at(80), '/x', {
      method: 'POST',
      body: 'y'.repeat(300_000),
      headers: { 'x-forwarded-for': '1.2.3.4', connection: 'close' },
    });
    expect([answer.status, (await answer.text()).length, answer.headers.getSetCookie()]).toEqual([
      201,
      300_000,
      ['a=1', 'b=2'],
    ]);
    expect(JSON.parse(answer.headers.get('x-seen') ?? '')).toMatchObject({
      host: `127.0.0.1:${at(80)}`,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '80',
      'x-forwarded-host': `127.0.0.1:${at(80)}`,
    });
    expect((await get(at(80), '/', { method: 'HEAD' })).status).toBe(201);
  });

  test('without a route 404, without endpoints 503, with endpoints that are all dead 502', async () => {
    endpoints.set('dead', [{ address: '127.0.0.1', port: 1 }]);
    const at = await serve(plain(80, route('nobody', { path: '/none' }), route('dead', { path: '/dead' })));
    const statuses = ['/', '/none', '/dead'].map(async (path) => (await get(at(80), path)).status);
    expect(await Promise.all(statuses)).toEqual([404, 503, 502]);
  });

  test('an endpoint that does not exist is skipped, with a body too', async () => {
    await backend('some', (request, response) => request.pipe(response));
    endpoints.get('some')?.push({ address: '127.0.0.1', port: 1 });
    const at = await serve(plain(80, route('some')));
    for (let i = 0; i < 10; i++)
      expect(await (await get(at(80), '/', { method: 'POST', body: `n${i}` })).text()).toBe(`n${i}`);
  });

  test('timeouts of a route: no answer, and one that goes on for too long', async () => {
    await backend('slow', (request, response) => {
      if (request.url === '/begin') response.write('begun');
    });
    const timeouts = { backendMs: 100 };
    const at = await serve(
      plain(
        80,
        route('slow', { timeouts }),
        route('slow', { path: '/begin', timeouts: { requestMs: 200 } }),
        route('slow', { path: '/all', timeouts: { requestMs: 100 } }),
      ),
    );
    expect((await get(at(80))).status).toBe(504);
    expect((await get(at(80), '/all')).status).toBe(504);
    await expect((await get(at(80), '/begin')).text()).rejects.toThrow();
  });

  test('a certificate by the name that a client requests, and HTTP/2 by TLS', async () => {
    await backend(
      'tls',
      (request, response) => void response.end(`${request.headers.host} ${request.headers['x-forwarded-proto']}`),
    );
    const certificates = ['foo.com', 'bar.com'].map((hostname) => ({ hostname, pair: pairOf(hostname) }));
    const at = await serve({ ...plain(443, route('tls')), tls: true, certificates });
    const shown = async (servername: string | undefined) => {
      const socket = connectTls({
        port: at(443),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ...(servername && { servername }),
      });
      await once(socket, 'secureConnect');
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    expect(await Promise.all(['foo.com', 'bar.com', 'other.com', undefined].map(shown))).toEqual([
      'foo.com',
      'bar.com',
      'fallback',
      'fallback',
    ]);
    const session = connectHttp2(`https://127.0.0.1:${at(443)}`, { rejectUnauthorized: false, servername: 'foo.com' });
    const answers = Array.from({ length: 20 }, () => requestHttp2(session, { ':path': '/', ':authority': 'foo.com' }));
    expect(new Set((await Promise.all(answers)).map(({ text }) => text))).toEqual(new Set(['foo.com https']));
    session.close();
    // The next client is shown another certificate; the port stays open.
    const renewed = [{ hostname: 'foo.com', pair: pairOf('bar.com') }];
    await serve({ ...plain(443, route('tls')), tls: true, certificates: renewed });
    expect(await shown('foo.com')).toBe('bar.com');
  });

  test('an invalid certificate does not affect the others', async () => {
    const broken = { certificate: '-----BEGIN CERTIFICATE-----\nx', key: '-----BEGIN PRIVATE KEY-----\nx' };
    const at = await serve({ ...plain(443, route('tls')), tls: true, certificates: [{ hostname: '', pair: broken }] });
    const socket = connectTls({ port: at(443), host: '127.0.0.1', rejectUnauthorized: false, servername: 'foo.com' });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subject.CN).toBe('fallback');
    socket.destroy();
  });

  test('HTTP/2 without TLS from end to end, with trailers', async () => {
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      stream.respond({ ':status': 200, 'x-te': String(headers.te) }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.pipe(stream);
    });
    endpoints.set('grpc', [await listen(server)]);
    parts.defer(() => void server.close());
    const at = await serve(plain(80, route('grpc', { protocol: 'h2c' })));
    const session = connectHttp2(`http://127.0.0.1:${at(80)}`);
    const answer = await requestHttp2(session, { ':method': 'POST', ':path': '/', te: 'trailers' }, 'hello');
    session.close();
    expect(answer).toMatchObject({ text: 'hello', headers: { 'x-te': 'trailers' }, trailers: { 'grpc-status': '0' } });
    // Over HTTP/1.1 the same backend is reached too.
    expect(await (await get(at(80), '/', { method: 'POST', body: 'hi' })).text()).toBe('hi');
  });

  test('WebSocket, kept while the routes change', async () => {
    const sockets = new WebSocketServer({ noServer: true });
    const server = createServer(name('no socket'));
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/no') return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
      sockets.handleUpgrade(request, socket, head, (client) =>
        client.on('message', (data) => client.send(`${request.headers['x-forwarded-for']} ${data}`)),
      );
    });
    endpoints.set('ws', [await listen(server)]);
    const at = await serve(plain(80, route('ws')));
    const client = new WebSocket(`ws://127.0.0.1:${at(80)}/socket`);
    await once(client, 'open');
    const say = async (text: string) => {
      client.send(text);
      const [data] = await once(client, 'message');
      return String(data);
    };
    expect(await say('one')).toBe('127.0.0.1 one');
    await backend('other', name('other'));
    await serve(plain(80, route('other')));
    expect(await (await get(at(80))).text()).toBe('other');
    expect(await say('two')).toBe('127.0.0.1 two');
    client.close();
    await serve(plain(80, route('ws')));
    const refused = new WebSocket(`ws://127.0.0.1:${at(80)}/no`);
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(403);
    refused.on('error', () => undefined).terminate();
    sockets.close();
    server.close();
    server.closeAllConnections();
  });

  test('an exception ends only one request, or one WebSocket', async () => {
    await backend('well', name('well'));
    const at = await serve(plain(80, route('well'), route('defect', { path: '/defect' })));
    await expect(get(at(80), '/defect')).rejects.toThrow();
    const client = new WebSocket(`ws://127.0.0.1:${at(80)}/defect`);
    await once(client, 'error');
    expect(await (await get(at(80))).text()).toBe('well');
  });

  test('invalid or incomplete requests have no effect', async () => {
    await backend('well', name('well'));
    const at = await serve(plain(80, route('well')));
    for (const text of [
      '\0\0\0\0\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense',
      'GET http:// HTTP/1.1\r\nhost: x\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n',
    ]) {
      const socket = connectSocket(at(80), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.end(text);
      socket.resume();
      await once(socket, 'close');
    }
    expect(await (await get(at(80))).text()).toBe('well');
  });

  test('a client that has closed its sending side gets a response', async () => {
    await backend('unhurried', (_, response) => void setTimeout(() => response.end('late'), 50));
    const at = await serve(plain(80, route('unhurried')));
    const socket = connectSocket(at(80), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.end('GET / HTTP/1.0\r\nhost: x\r\n\r\n');
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nlate$/s);
  });

  test('routes, endpoints and ports change under load, and no request fails', async () => {
    const serveNames = ['v0', 'v1', 'v2', 'v3'];
    let current = await backend('load', name('v0'));
    const listeners = () => [plain(80, route('load'), route('echo', { path: '/other' }))];
    const at = await serve(...listeners());
    const port = at(80);
    const seen = new Map<string, number>();
    let running = true;
    const agentless = () =>
      new Promise<string>((resolve, reject) => {
        const clientRequest = sendRequest({ port, host: '127.0.0.1', path: '/', agent: false }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve(`${response.statusCode} ${text}`));
          response.on('error', reject);
        });
        clientRequest.on('error', reject);
        clientRequest.end();
      });
    const client = async (ask: () => Promise<string>) => {
      while (running) {
        const text = await ask();
        seen.set(text, (seen.get(text) ?? 0) + 1);
      }
    };
    const sessionCookie = async () => {
      const answer = await get(port);
      return `${answer.status} ${await answer.text()}`;
    };
    const clients = [client(agentless), client(sessionCookie), client(sessionCookie)];
    while (seen.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const next of serveNames.slice(1)) {
      const before = seen.size;
      const fresh = await backend('load', name(next));
      await serve(...listeners(), plain(8080, route('load')));
      current[Symbol.dispose]();
      current = fresh;
      while (seen.size === before) await new Promise((resolve) => setTimeout(resolve, 5));
      await serve(...listeners());
    }
    running = false;
    await Promise.all(clients);
    expect([...seen.keys()].sort()).toEqual(serveNames.map((text) => `200 ${text}`));
  });

  test('a port that is closed lets requests finish', async () => {
    let finish = () => {};
    await backend('long', (_, response) => {
      response.write('begun ');
      finish = () => void response.end('ended');
    });
    const at = await serve(plain(81, route('long')));
    const port = at(81);
    const answer = await get(port);
    await serve();
    await expect(get(port)).rejects.toThrow();
    finish();
    expect(await answer.text()).toBe('begun ended');
  });
});

interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly text: string;
}

function requestHttp2(
  session: ReturnType<typeof connectHttp2>,
  headers: Record<string, string>,
  body?: string,
): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    const answer: { headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders; text: string } = {
      headers: {},
      trailers: {},
      text: '',
    };
    stream.on('response', (fields) => {
      answer.headers = fields;
    });
    stream.on('trailers', (fields) => {
      answer.trailers = fields;
    });
    stream.on('data', (chunk) => {
      answer.text += chunk;
    });
    stream.on('end', () => resolve(answer));
    stream.on('error', reject);
    stream.end(body);
  });
}
