import { once } from 'node:events';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { type ApiRequest, type ApiResponse, acceptsValues, type ByteSink, notFound } from '@coracle/apimachinery';
import { Deferred, nextTurn } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from '../pki/certificates.js';
import type { KeyPair } from '../pki/key-pair.js';
import { serveTests } from './https-server.fixture.js';

/** The next response. */
let answerWith: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;
const { server, pki } = await serveTests({ exchange: async (request) => answerWith(request) });

const bytes = (...chunks: Uint8Array[]): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: { kind: 'bytes', chunks },
});
const json = (value: unknown) => bytes(Buffer.from(JSON.stringify(value)));

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
  readonly identity?: KeyPair;
}

interface Received {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

type Send = (path: string, sent?: Sent) => Promise<Received>;

const byHttp1: Send = (path, { method = 'GET', headers = {}, body, identity } = {}) =>
  new Promise((resolve, reject) => {
    const tls = {
      ca: pki.ca.certificate,
      ...(identity && { cert: identity.certificate, key: identity.key }),
      ALPNProtocols: ['http/1.1'],
    };
    const request = httpsRequest(
      { host: '127.0.0.1', port: server.port, path, method, headers, ...tls, agent: false },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      },
    );
    request.on('error', reject);
    request.end(body);
  });

const byHttp2: Send = async (path, { method = 'GET', headers = {}, body, identity } = {}) => {
  const session = connect(`https://127.0.0.1:${server.port}`, {
    ca: pki.ca.certificate,
    ...(identity && { cert: identity.certificate, key: identity.key }),
  });
  try {
    const stream = session.request({ ':path': path, ':method': method, ...headers }, { endStream: body === undefined });
    if (body) stream.end(body);
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { status: Number(answer[':status']), headers: answer, body: Buffer.concat(chunks) };
  } finally {
    session.close();
  }
};

describe.each([
  ['HTTP/1.1', byHttp1],
  ['HTTP/2', byHttp2],
] as const)('over %s', (_version, send) => {
  test('requests and responses arrive unchanged', async () => {
    answerWith = ({ method, path, query, headers, body }) =>
      json({
        method,
        path,
        query,
        type: headers['content-type'],
        body: body?.kind === 'bytes' ? Buffer.from(body.bytes).toString() : undefined,
      });
    const { status, headers, body } = await send('/api/v1/pods?limit=5&x=%20', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{}'),
    });

    expect({ status, length: headers['content-length'], body: JSON.parse(String(body)) }).toEqual({
      status: 200,
      length: String(body.length),
      body: { method: 'POST', path: '/api/v1/pods', query: 'limit=5&x=%20', type: 'application/json', body: '{}' },
    });
  });

  test('without a body there is none', async () => {
    answerWith = ({ body }) => json({ has: body !== undefined });

    expect(JSON.parse(String((await send('/')).body))).toEqual({ has: false });
  });

  test('WRITE-12 a body over the limit is refused, with or without a content-length', async () => {
    answerWith = () => json('never');
    const tooMuch = Buffer.alloc(1025);
    const response = await send('/', { method: 'POST', body: tooMuch, headers: { 'content-length': '1025' } });

    expect({ status: response.status, body: JSON.parse(String(response.body)) }).toMatchObject({
      status: 413,
      body: {
        kind: 'Status',
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: limit is 1024',
      },
    });
    const untold = await send('/', {
      method: 'POST',
      body: tooMuch,
      headers: send === byHttp1 ? { 'transfer-encoding': 'chunked' } : {},
    });
    expect(untold.status).toBe(413);
    answerWith = ({ body }) => json(body?.kind === 'bytes' ? body.bytes.length : 0);
    expect(JSON.parse(String((await send('/', { method: 'POST', body: Buffer.alloc(1024) })).body))).toBe(1024);
  });

  test('a thrown StatusError is the response', async () => {
    answerWith = () => {
      throw notFound({ group: '', resource: 'pods' }, 'web');
    };
    const { status, body } = await send('/');

    expect({ status, message: JSON.parse(String(body)).message }).toEqual({
      status: 404,
      message: 'pods "web" not found',
    });
  });

  test('ROUTE-13 responses of more than 128 KiB are compressed for clients that accept it', async () => {
    const size = 128 * 1024;
    const gzip = { 'accept-encoding': 'gzip' };
    const encoded = async (length: number, headers: Record<string, string>) => {
      answerWith = () => bytes(Buffer.alloc(length, 'a'));
      const answer = await send('/', { headers });
      const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.body) : answer.body;
      return [answer.headers['content-encoding'], plain.length];
    };

    expect([await encoded(size + 1, gzip), await encoded(size, gzip), await encoded(size + 1, {})]).toEqual([
      ['gzip', size + 1],
      [undefined, size],
      [undefined, size + 1],
    ]);
    expect(await encoded(size + 1, { 'accept-encoding': 'br, gzip' })).toEqual(['gzip', size + 1]);
    expect(await encoded(size + 1, { 'accept-encoding': 'gzip;q=0' })).toEqual([undefined, size + 1]);
    expect(await encoded(size + 1, { 'accept-encoding': 'identity, xgzip' })).toEqual([undefined, size + 1]);
  });

  test('a stream is never compressed', async () => {
    const text = 'a'.repeat(256 * 1024);
    const open = (sink: ByteSink) => {
      sink.write(Buffer.from(text));
      sink.end();
    };
    answerWith = () => ({ status: 200, headers: {}, body: { kind: 'stream', stream: { open } } });
    const { headers, body } = await send('/', { headers: { 'accept-encoding': 'gzip' } });
    expect([headers['content-encoding'], body.length]).toEqual([undefined, text.length]);
  });

  test('many pieces, small and large, arrive in their order', async () => {
    const pieces = [3, 300_000, 1, 70_000, 200_000, 5, 262_144, 1].map((length, index) => Buffer.alloc(length, index));
    answerWith = () => bytes(...pieces);

    expect((await send('/')).body.equals(Buffer.concat(pieces))).toBe(true);
  });

  test('a client certificate identifies the user, one of another CA does not', async () => {
    answerWith = ({ peer }) => json(peer?.certificate ?? null);
    const times = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const request = {
      commonName: 'jane',
      organizations: ['dev', 'system:masters'],
      usage: 'client',
      ...times,
    } as const;
    const good = await issueCertificate(pki.ca, request);
    const forged = await issueCertificate(await createAuthority('kubernetes', times), request);
    const statusFor = async (identity?: KeyPair) =>
      JSON.parse(String((await send('/', identity ? { identity } : {})).body));

    expect([await statusFor(good), await statusFor(forged), await statusFor()]).toEqual([
      {
        commonName: 'jane',
        organizations: ['dev', 'system:masters'],
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        issuers: [expect.stringMatching(/^[0-9a-f]{64}$/)],
        expiresAt: Math.floor(times.notAfter.getTime() / 1000) * 1000,
      },
      null,
      null,
    ]);
  });

  test('no remote client can request values, or set its own user', async () => {
    answerWith = ({ headers, peer }) => json({ values: headers[acceptsValues], user: peer?.user });

    expect(JSON.parse(String((await send('/', { headers: { [acceptsValues]: '1' } })).body))).toEqual({});
  });
});

describe('a stream', () => {
  test('pauses while the client does not read', async () => {
    const opened = new Deferred<ByteSink>();
    answerWith = () => ({
      status: 200,
      headers: {},
      body: { kind: 'stream', stream: { open: (sink) => opened.resolve(sink) } },
    });
    const session = connect(`https://127.0.0.1:${server.port}`, { ca: pki.ca.certificate });
    const stream = session.request({ ':path': '/' });
    const sink = await opened.promise;
    const drained = new Deferred<void>();
    sink.onDrain(() => drained.resolve());
    let written = 0;
    while (sink.write(Buffer.alloc(64 * 1024))) {
      written += 64 * 1024;
      await nextTurn();
    }

    let read = 0;
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    await drained.promise;
    sink.end();
    await once(stream, 'close');
    expect(read).toBeGreaterThan(written);
    session.close();
  });

  test('ends when the client disconnects: the sink is closed, and the signal of the request aborts', async () => {
    const closed = new Deferred<void>();
    const aborted = new Deferred<void>();
    answerWith = ({ signal }) => {
      signal?.addEventListener('abort', () => aborted.resolve());
      return {
        status: 200,
        headers: {},
        body: {
          kind: 'stream',
          stream: {
            open: (sink) => {
              sink.onClose(() => closed.resolve());
              sink.write(Buffer.from('x'));
            },
          },
        },
      };
    };
    const session = connect(`https://127.0.0.1:${server.port}`, { ca: pki.ca.certificate });
    const stream = session.request({ ':path': '/' });
    await once(stream, 'data');
    session.destroy();

    await Promise.all([closed.promise, aborted.promise]);
  });

  test('a client that disconnects while it waits is detected too', async () => {
    const begun = new Deferred<void>();
    const aborted = new Deferred<unknown>();
    answerWith = async ({ signal }) => {
      signal?.addEventListener('abort', () => aborted.resolve(signal.reason));
      begun.resolve();
      await aborted.promise;
      return json('too late');
    };
    const request = httpsRequest({
      host: '127.0.0.1',
      port: server.port,
      path: '/',
      ca: pki.ca.certificate,
      agent: false,
    });
    request.on('error', () => undefined);
    request.end();
    await begun.promise;
    request.destroy();

    expect(await aborted.promise).toMatchObject({ name: 'AbortError' });
  });
});
