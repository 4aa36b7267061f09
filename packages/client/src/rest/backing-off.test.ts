import type { ApiRequest, Exchange } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { backingOff } from './backing-off.js';

const request: ApiRequest = { method: 'GET', path: '/x', query: '', headers: {} };

/** Sends one request after the other, and returns the seconds at which the server received them. */
async function secondsOf(statuses: readonly (number | 'cut')[], pauseMs = 0): Promise<number[]> {
  const clock = new VirtualClock();
  const start = clock.now();
  const seen: number[] = [];
  const server: Exchange = async () => {
    const status = statuses[seen.push((clock.now() - start) / 1_000) - 1] as number | 'cut';
    if (status === 'cut') throw new Error('cut');
    return { status, headers: {}, body: { kind: 'empty' } };
  };
  const exchange = backingOff(server, { clock, initialMs: 1_000, maxMs: 4_000 });
  for (const _ of statuses) {
    const answer = exchange(request).catch(() => undefined);
    await clock.advance(4_000 + pauseMs);
    await answer;
  }
  return seen.map((second, i) => second - (i * (4_000 + pauseMs)) / 1_000);
}

describe('RC-8 backoff of a client', () => {
  test.each([
    { name: 'twice as long each time, up to a bound', statuses: [503, 500, 429, 503, 503], waits: [0, 1, 2, 4, 4] },
    { name: 'not at all while it answers', statuses: [200, 404, 409, 200], waits: [0, 0, 0, 0] },
    { name: 'until it answers, be it a refusal', statuses: [503, 503, 403, 200, 503, 200], waits: [0, 1, 2, 0, 0, 1] },
    { name: 'no longer because a connection failed', statuses: [503, 'cut' as const, 200, 200], waits: [0, 1, 1, 0] },
    { name: 'no more once the trouble is long past', statuses: [503, 503], pauseMs: 5_000, waits: [0, 0] },
  ])('$name', async ({ statuses, waits, pauseMs }) => {
    expect(await secondsOf(statuses, pauseMs)).toEqual(waits);
  });

  test('and an aborted request does not wait', async () => {
    const clock = new VirtualClock();
    const exchange = backingOff(async () => ({ status: 503, headers: {}, body: { kind: 'empty' } }), { clock });
    await exchange(request);
    const aborter = new AbortController();
    const outcome = exchange({ ...request, signal: aborter.signal }).catch((error: Error) => error.message);
    await clock.settle();
    aborter.abort(new Error('enough'));
    expect({ outcome: await outcome, timers: clock.pending }).toEqual({ outcome: 'enough', timers: 0 });
  });
});
