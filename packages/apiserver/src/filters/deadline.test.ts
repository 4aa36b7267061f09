import type { ApiResponse } from '@coracle/apimachinery';
import { Deferred, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { IncomingRequest, OpenRequests } from '../incoming-request.js';
import { parseRequestInfo } from '../parse-request-info.js';
import { deadline } from './deadline.js';

const never = new AbortController().signal;

function requestTo(clock: VirtualClock, path: string, query = '', method = 'GET'): IncomingRequest {
  const context = new IncomingRequest(
    { method, path, query, headers: {} },
    { clock, openRequests: new OpenRequests(never) },
  );
  context.info = parseRequestInfo(method, path, new URLSearchParams(query));
  return context;
}

const answer: ApiResponse = { status: 200, headers: {}, body: { kind: 'empty' } };

describe('the deadline of a request', () => {
  test('FILTER-08 drops a response that is too late', async () => {
    const clock = new VirtualClock();
    const work = new Deferred<ApiResponse>();
    const outcome = deadline(clock, 60_000)(() => work.promise)(requestTo(clock, '/api/v1/pods'));
    outcome.catch(() => undefined);
    await clock.advance(60_000);
    let sent = 0;
    work.resolve({ ...answer, onSent: () => sent++ });
    await expect(outcome).rejects.toMatchObject({ status: { reason: 'Timeout' } });
    await clock.settle();
    expect(sent).toBe(1);
  });

  test.each([
    ['the longest that the server allows', '', 60_000],
    ['what the client requests', 'timeout=5s', 5_000],
    ['no more than the server allows', 'timeout=1h', 60_000],
  ])('FILTER-08 is %s', async (_name, query, limitMs) => {
    const clock = new VirtualClock();
    const context = requestTo(clock, '/api/v1/pods', query);
    const work = new Deferred<ApiResponse>();
    const outcome = deadline(
      clock,
      60_000,
    )(() => work.promise)(context).then(
      () => 'answered',
      (error) => error.status.reason,
    );
    await clock.advance(limitMs - 1);
    expect(context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await outcome).toBe('Timeout');
    expect(context.signal.aborted).toBe(true);
  });

  test.each([
    ['34 seconds', '', 34_000],
    ['what the client requests', 'timeout=5s', 5_000],
    ['no more than that', 'timeout=1h', 34_000],
  ])('WRITE-12 ERR-13 of a write is %s', async (_name, query, limitMs) => {
    const clock = new VirtualClock();
    const context = requestTo(clock, '/api/v1/namespaces/default/pods', query, 'POST');
    const outcome = deadline(clock, 60_000)(() => new Promise(() => {}))(context).catch((error) => error.status);
    await clock.advance(limitMs - 1);
    expect(context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await outcome).toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    });
  });

  test('FILTER-08 does not apply to a watch', async () => {
    const clock = new VirtualClock();
    const context = requestTo(clock, '/api/v1/pods', 'watch=true');
    const work = new Deferred<ApiResponse>();
    const outcome = deadline(clock, 60_000)(() => work.promise)(context);
    await clock.advance(600_000);
    work.resolve(answer);
    expect(await outcome).toBe(answer);
    expect(context.signal.aborted).toBe(false);
  });

  test('leaves no timer when the request is over', async () => {
    const clock = new VirtualClock();
    await deadline(clock, 60_000)(async () => answer)(requestTo(clock, '/api/v1/pods'));
    await clock.settle();
    expect(clock.pending).toBe(0);
  });
});

describe('the signal of a request', () => {
  test('aborts when the client disconnects, also before a handler checks', () => {
    const clock = new VirtualClock();
    for (const early of [true, false]) {
      const client = new AbortController();
      const context = new IncomingRequest(
        { method: 'GET', path: '/', query: '', headers: {}, signal: client.signal },
        { clock, openRequests: new OpenRequests(never) },
      );
      if (early) client.abort('gone');
      const { signal } = context;
      if (!early) client.abort('gone');
      expect([early, signal.aborted, signal.reason]).toEqual([early, true, 'gone']);
    }
  });

  test('aborts when the server stops', () => {
    const end = new AbortController();
    const context = new IncomingRequest(
      { method: 'GET', path: '/', query: '', headers: {} },
      { clock: new VirtualClock(), openRequests: new OpenRequests(end.signal) },
    );
    const { signal } = context;
    end.abort('over');
    expect(signal.reason).toBe('over');
  });
});
