import { type ApiResponse, acceptsValues } from '@coracle/apimachinery';
import { Deferred, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { Handler } from '../handler-chain.js';
import { IncomingRequest, OpenRequests } from '../incoming-request.js';
import { parseRequestInfo } from '../parse-request-info.js';
import { inFlightLimits } from './in-flight-limits.js';

const never = new AbortController().signal;
const answer: ApiResponse = { status: 200, headers: {}, body: { kind: 'empty' } };

/** A server with one slot of each kind, whose requests end when the test ends them. */
function serverWithOneSlot(clock = new VirtualClock()) {
  const served: Deferred<ApiResponse>[] = [];
  const next: Handler = () => {
    const work = new Deferred<ApiResponse>();
    served.push(work);
    return work.promise;
  };
  const handler = inFlightLimits(clock, { readOnly: 1, mutating: 1 })(next);
  const send = (
    method: string,
    query = '',
    groups: string[] = [],
    { headers = {}, signal }: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  ) => {
    const path = '/api/v1/pods';
    const context = new IncomingRequest(
      { method, path, query, headers, ...(signal && { signal }) },
      { clock, openRequests: new OpenRequests(never) },
    );
    context.info = parseRequestInfo(method, path, new URLSearchParams(query));
    context.user = { name: 'jane', groups };
    return handler(context);
  };
  return { clock, served, send };
}

describe('requests in flight', () => {
  test('FLAG-11 FLAG-12 FILTER-11 FILTER-12 reads and writes have separate limits, and are served in order', async () => {
    const { served, send } = serverWithOneSlot();
    const answers = [send('GET'), send('POST'), send('GET'), send('GET')];
    expect(served.length).toBe(2);
    served[0]?.resolve(answer);
    await answers[0];
    await Promise.resolve();
    expect(served.length).toBe(3);
    served[2]?.resolve(answer);
    await answers[2];
    await Promise.resolve();
    served[3]?.resolve(answer);
    served[1]?.resolve(answer);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('FILTER-11 watches do not count, and neither administrators nor callers in this process wait', () => {
    const { served, send } = serverWithOneSlot();
    void send('GET');
    void send('GET', 'watch=true');
    void send('GET', '', ['system:masters']);
    void send('GET', '', [], { headers: { [acceptsValues]: '1' } });
    void send('GET');
    expect(served.length).toBe(4);
  });

  test('FILTER-11 ERR-10 are rejected with 429 when too many are waiting', async () => {
    const { served, send } = serverWithOneSlot();
    for (let i = 0; i < 17; i++) void send('GET');
    const { status, headers, body } = await send('GET');
    expect([served.length, status, headers['retry-after']]).toEqual([1, 429, '1']);
    const text = body.kind === 'bytes' ? new TextDecoder().decode(body.chunks[0]) : '';
    expect(text).toBe('Too many requests, please try again later.\n');
  });

  test('time out, and release their seats', async () => {
    const { clock, served, send } = serverWithOneSlot();
    const first = send('GET');
    const second = send('GET');
    await clock.advance(15_000);
    expect((await second).status).toBe(429);
    served[0]?.resolve(answer);
    await first;
    void send('GET');
    expect([served.length, clock.pending]).toEqual([2, 0]);
  });

  test('of disconnected clients do not wait, and those behind them are served in order', async () => {
    const { clock, served, send } = serverWithOneSlot();
    const first = send('GET');
    const clients = Array.from({ length: 16 }, () => new AbortController());
    const [leaving, ...others] = clients.map(({ signal }) => send('GET', '', [], { signal }));
    const last = send('GET', '', [], { signal: AbortSignal.abort() });
    for (const client of clients.slice(0, 15)) client.abort();
    expect([(await leaving)?.status, (await last).status]).toEqual([429, 429]);
    expect((await Promise.all(others.slice(0, 14))).every(({ status }) => status === 429)).toBe(true);
    const next = send('GET');
    served[0]?.resolve(answer);
    await first;
    await Promise.resolve();
    served[1]?.resolve(answer);
    expect((await others.at(-1))?.status).toBe(200);
    await Promise.resolve();
    served[2]?.resolve(answer);
    expect([(await next).status, served.length, clock.pending]).toEqual([200, 3, 0]);
  });

  test('that fail release their seats', async () => {
    const { served, send } = serverWithOneSlot();
    const first = send('DELETE');
    served[0]?.reject(new Error('disk on fire'));
    await expect(first).rejects.toThrow('disk on fire');
    void send('DELETE');
    expect(served.length).toBe(2);
  });
});
