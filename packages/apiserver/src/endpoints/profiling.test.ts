import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import type { Profiler } from './profiling.js';

/** Records its calls, and runs one recording at a time. */
function fakeProfiler() {
  const steps: string[] = [];
  let isBusy = false;
  const start = (kind: string) => async () => {
    if (isBusy) throw new Error('cpu profiling already in use');
    isBusy = true;
    steps.push(`start ${kind}`);
    return async () => {
      isBusy = false;
      steps.push(`stop ${kind}`);
      return `{"${kind}":1}`;
    };
  };
  const profiler: Profiler = {
    startCpu: start('cpu'),
    startHeap: start('heap'),
    waitingFor: () => ({ TCPSocketWrap: 3 }),
  };
  return { steps, profiler };
}

const textOf = async (answer: Promise<{ readonly body: unknown }>) => (await answer).body;

describe('FLAG-17 profiles', () => {
  test('CHAIN-17 CPU profiles take the requested time, beyond the request timeout', async () => {
    const { steps, profiler } = fakeProfiler();
    const { call, clock } = await startTestServer({ profiler });
    const answer = call('GET', '/debug/pprof/profile?seconds=90');
    await clock.advance(89_999);
    expect(steps).toEqual(['start cpu']);
    await clock.advance(1);
    const { status, headers, body } = await answer;
    expect({ status, body }).toEqual({ status: 200, body: { cpu: 1 } });
    expect(headers['content-disposition']).toBe('attachment; filename="profile.cpuprofile"');
    expect(steps).toEqual(['start cpu', 'stop cpu']);
  });

  test('of memory too, and two at once are refused', async () => {
    const { profiler } = fakeProfiler();
    const { call, clock } = await startTestServer({ profiler });
    const first = call('GET', '/debug/pprof/heap');
    await clock.settle();
    expect((await call('GET', '/debug/pprof/profile')).status).toBe(500);
    await clock.advance(5_000);
    expect(await textOf(first)).toEqual({ heap: 1 });
  });

  test('end when the client disconnects', async () => {
    const { steps, profiler } = fakeProfiler();
    const { server, clock } = await startTestServer({ profiler });
    const gone = new AbortController();
    const answer = server.exchange({
      method: 'GET',
      path: '/debug/pprof/profile',
      query: '',
      headers: {},
      peer: { user: { name: 'admin', groups: ['system:masters'] } },
      signal: gone.signal,
    });
    await clock.settle();
    gone.abort();
    await answer;
    expect(steps).toEqual(['start cpu', 'stop cpu']);
  });

  test('the requests in flight and the index of profiles are served', async () => {
    const { profiler } = fakeProfiler();
    const { call, watch } = await startTestServer({ profiler });
    await watch('/api/v1/pods?watch=1');
    expect(await textOf(call('GET', '/debug/pprof/goroutine'))).toContain('1 WATCH pods\n');
    expect(await textOf(call('GET', '/debug/pprof/'))).toContain('<a href="heap">');
    const bare = await call('GET', '/debug/pprof');
    expect([bare.status, bare.headers['location']]).toEqual([301, '/debug/pprof/']);
    expect((await call('GET', '/debug/pprof/nothing')).status).toBe(404);
  });

  test('are not served without a profiler', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/debug/pprof/')).status).toBe(404);
  });
});
