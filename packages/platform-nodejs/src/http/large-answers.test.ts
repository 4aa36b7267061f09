import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';

const chunkBytes = 3_000;
const chunksOfAnswer = 400;

/** A response of small chunks in which every byte identifies its request. */
const { server, pki } = await serveTests({
  exchange: async ({ path }) => {
    const number = Number(path.slice(1));
    const chunks = Array.from({ length: chunksOfAnswer }, () => new Uint8Array(chunkBytes).fill(number));
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks } };
  },
});

const ca = pki.ca.certificate;

function byHttp1(number: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: `/${number}`, ca, agent: false };
    const request = httpsRequest(options, (response) => resolve(buffer(response)));
    request.on('error', reject);
    request.end();
  });
}

test('large responses are complete while others are sent and some clients disconnect', async () => {
  const session = connect(`https://127.0.0.1:${server.port}`, { ca });
  const numbers = Array.from({ length: 40 }, (_, number) => number);
  const answers = numbers.map((number) =>
    number % 2 === 0 ? byHttp1(number) : buffer(session.request({ ':path': `/${number}` })),
  );
  for (const number of [50, 51, 52]) {
    const stream = session.request({ ':path': `/${number}` });
    stream.on('error', () => undefined);
    stream.once('data', () => stream.close(8));
  }
  const bodies = await Promise.all(answers);
  session.close();
  const expected = numbers.map((number) => Buffer.alloc(chunkBytes * chunksOfAnswer, number));
  expect(bodies.map((body, number) => body.equals(expected[number] as Buffer))).toEqual(numbers.map(() => true));
});
