import { once } from 'node:events';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { describe, expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';

const { server, pki } = await serveTests({
  // The number of received headers, so that no loss goes unnoticed.
  exchange: async ({ headers }) => {
    const came = Object.keys(headers).filter((name) => name.startsWith('x-more-')).length;
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [Buffer.from(String(came))] } };
  },
});

type Headers = Readonly<Record<string, string>>;

async function byHttp1(headers: Headers): Promise<string> {
  const request = httpsRequest({ host: '127.0.0.1', port: server.port, ca: pki.ca.certificate, headers }).end();
  const [response] = await once(request, 'response');
  response.setEncoding('utf8');
  return (await response.toArray()).join('');
}

async function byHttp2(headers: Headers): Promise<string> {
  const options = { ca: pki.ca.certificate, maxSendHeaderBlockLength: 2 * 1024 * 1024 };
  const session = connect(`https://127.0.0.1:${server.port}`, options);
  try {
    const stream = session.request(headers).setEncoding('utf8');
    return (await stream.toArray()).join('');
  } finally {
    session.destroy();
  }
}

describe('SERVE-01 the head of a request may be long, a mebibyte in HTTP/1.1', () => {
  test.each([
    ['HTTP/1.1', 1500, 10, byHttp1],
    ['HTTP/1.1', 12, 50_000, byHttp1],
    ['HTTP/2', 1500, 10, byHttp2],
    // The limits of nghttp2: nine frames of headers, and 64 KiB for one header.
    ['HTTP/2', 2, 50_000, byHttp2],
  ])('%s: %i headers of %i bytes', async (_version, count, size, get) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-more-${i}`, 'x'.repeat(size)]));
    expect(await get(headers)).toBe(String(count));
  });
});
