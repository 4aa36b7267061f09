import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { ApiResponse } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';

/** The next response, as soon as it begins. */
let next: { readonly come: Deferred<void>; readonly answer: Promise<ApiResponse> };
const gone = { current: new Deferred<void>() };
const { server, pki } = await serveTests({
  exchange: async ({ signal }) => {
    signal?.addEventListener('abort', () => gone.current.resolve());
    next.come.resolve();
    return await next.answer;
  },
});

/** Sends a request; returns a function that aborts it. */
type Begin = () => () => void;

const byHttp1: Begin = () => {
  const ca = pki.ca.certificate;
  const request = httpsRequest({ host: '127.0.0.1', port: server.port, path: '/', ca, agent: false });
  request.on('error', () => undefined);
  request.end();
  return () => request.destroy();
};

const byHttp2: Begin = () => {
  const session = connect(`https://127.0.0.1:${server.port}`, { ca: pki.ca.certificate });
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => undefined);
  return () => {
    stream.close(8);
    session.close();
  };
};

/** The client disconnects while its request is being processed, and then the response is sent. */
async function answerAfterwards(begin: Begin, response: ApiResponse): Promise<void> {
  const answer = new Deferred<ApiResponse>();
  next = { come: new Deferred(), answer: answer.promise };
  gone.current = new Deferred();
  const cut = begin();
  await next.come.promise;
  cut();
  await gone.current.promise;
  answer.resolve(response);
}

describe.each([
  ['HTTP/1.1', byHttp1],
  ['HTTP/2', byHttp2],
] as const)('an answer for a client that has gone, over %s', (_version, begin) => {
  test('counts as sent', async () => {
    const sent = new Deferred<void>();
    await answerAfterwards(begin, {
      status: 200,
      headers: {},
      body: { kind: 'bytes', chunks: [new Uint8Array(10)] },
      onSent: () => sent.resolve(),
    });
    expect(await sent.promise).toBeUndefined();
  });

  test('ends at once if it is a stream', async () => {
    const closed = new Deferred<void>();
    await answerAfterwards(begin, {
      status: 200,
      headers: {},
      body: { kind: 'stream', stream: { open: ({ onClose }) => onClose(() => closed.resolve()) } },
    });
    expect(await closed.promise).toBeUndefined();
  });
});

test('a stream that fails at its start closes its connection, and the server continues', async () => {
  const body: ApiResponse['body'] = {
    kind: 'stream',
    stream: {
      open: () => {
        throw new Error('nothing to stream');
      },
    },
  };
  for (let i = 0; i < 2; i++) {
    next = { come: new Deferred(), answer: Promise.resolve({ status: 200, headers: {}, body }) };
    const session = connect(`https://127.0.0.1:${server.port}`, { ca: pki.ca.certificate });
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await new Promise<void>((resolve) => void stream.on('close', resolve));
    session.close();
  }
});
