import type { ApiResponse, Exchange } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { rateLimited } from './rate-limited.js';
import { retrying } from './retrying.js';

const request = (method = 'GET') => ({ method, path: '/x', query: '', headers: {} });
const answer = (status: number, retryAfter?: string): ApiResponse => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: { kind: 'empty' },
});

/** Returns the next of these responses each time, and records the time of the request. */
function scripted(clock: VirtualClock, script: readonly (ApiResponse | Error)[]) {
  const start = clock.now();
  const askedAt: number[] = [];
  const exchange: Exchange = async () => {
    const next = script[Math.min(askedAt.push(clock.now() - start), script.length) - 1] as ApiResponse | Error;
    if (next instanceof Error) throw next;
    return next;
  };
  return { exchange, askedAt };
}

describe('retrying', () => {
  const cut = new Error('cut');
  const cases = [
    {
      name: 'waits as long as the server asks',
      script: [answer(429, '3'), answer(503, '1'), answer(200)],
      askedAt: [0, 3_000, 4_000],
      status: 200,
    },
    { name: 'does not repeat what the server does not request', script: [answer(500)], askedAt: [0], status: 500 },
    { name: 'does not repeat a refusal', script: [answer(403, '1')], askedAt: [0], status: 403 },
    { name: 'gives up in the end', script: [answer(429, '1')], askedAt: [0, 1_000, 2_000], status: 429 },
    { name: 'reads again after a cut', script: [cut, answer(200)], askedAt: [0, 1_000], status: 200 },
    {
      name: 'does not write again after a cut',
      method: 'POST',
      script: [cut, answer(200)],
      askedAt: [0],
      status: 'cut',
    },
  ];

  test.each(cases)('$name', async ({ script, askedAt, status, method }) => {
    const clock = new VirtualClock();
    const server = scripted(clock, script);
    const exchange = retrying(server.exchange, { clock, maxRetries: 2, isCutConnection: (error) => error === cut });
    const outcome = exchange(request(method)).then(
      (response) => response.status,
      (error: Error) => error.message,
    );
    await clock.advance(60_000);
    expect({ askedAt: server.askedAt, status: await outcome }).toEqual({ askedAt, status });
  });

  test('an aborted signal ends the wait', async () => {
    const clock = new VirtualClock();
    const aborter = new AbortController();
    const exchange = retrying(scripted(clock, [answer(429, '60')]).exchange, { clock });
    const outcome = exchange({ ...request(), signal: aborter.signal }).catch((error: Error) => error.message);
    await clock.settle();
    aborter.abort(new Error('enough'));
    expect({ outcome: await outcome, timers: clock.pending }).toEqual({ outcome: 'enough', timers: 0 });
  });
});

test('CF-11 CF-12 a rate limit allows a burst, then spaces requests out, and logs long waits', async () => {
  const clock = new VirtualClock();
  const server = scripted(clock, [answer(200)]);
  const waits: unknown[] = [];
  const logger = {
    error() {},
    info: (_: string, fields?: object) => void waits.push(fields),
    debug() {},
    with: () => logger,
  };
  const exchange = rateLimited(server.exchange, { clock, perSecond: 2, burst: 2, logger });
  for (let i = 0; i < 5; i++) void exchange(request());
  await clock.advance(10_000);
  expect(server.askedAt).toEqual([0, 0, 500, 1_000, 1_500]);
  expect(waits).toMatchObject([
    { delayMs: 1_000, path: '/x' },
    { delayMs: 1_500, path: '/x' },
  ]);
});
