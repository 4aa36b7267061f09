import { silentLogger, sleep, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { AdmissionPlugin } from './admission/admission.js';
import { noAnonymous } from './authentication/no-anonymous.js';
import { startTestServer } from './server.fixture.js';

const events = '/api/v1/namespaces/default/events';
const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
};

describe('the options of a server', () => {
  test('FLAG-52 the TTL of events', async () => {
    const { call, clock } = await startTestServer({ eventTtlSeconds: 60 });
    await call('POST', events, event);
    await clock.advance(55_000);
    expect((await call('GET', `${events}/e`)).status).toBe(200);
    await clock.advance(30_000);
    expect((await call('GET', `${events}/e`)).status).toBe(404);
  });

  test('FLAG-13 a watch lasts at least this long, and at most twice as long', async () => {
    const { watch, clock } = await startTestServer({ minWatchMs: 10_000 });
    const watching = await watch('/api/v1/configmaps?watch=true');
    await clock.advance(9_999);
    expect(watching.ended).toBe(false);
    await clock.advance(10_001);
    expect(watching.ended).toBe(true);
  });

  test('FLAG-54 anonymous requests are refused', async () => {
    const { call } = await startTestServer({ authenticators: () => [noAnonymous] });
    expect((await call('GET', '/version')).body).toMatchObject({ code: 401, reason: 'Unauthorized' });
  });

  test('FLAG-14 a request that exceeds its timeout is answered with 504', async () => {
    const { call, clock } = await startTestServer({
      requestTimeoutMs: 5_000,
      endpoints: () => ({ '/slow': () => new Promise(() => undefined) }),
    });
    const answer = call('GET', '/slow');
    await clock.advance(5_000);
    expect(await answer).toMatchObject({
      status: 504,
      body: {
        kind: 'Status',
        status: 'Failure',
        message: 'Timeout: request did not complete within the allotted timeout',
        reason: 'Timeout',
        details: {},
        code: 504,
      },
    });
  });
});

test('OBS-04 the start of a watch is logged at the level debug', async () => {
  const reports: unknown[] = [];
  const logger = { ...silentLogger, debug: (message: string, facts?: object) => void reports.push([message, facts]) };
  const { watch } = await startTestServer({ logger });
  const path = '/api/v1/namespaces/default/configmaps';
  await watch(`${path}?watch=1&resourceVersion=5&timeoutSeconds=7`);
  expect(reports).toContainEqual([
    'a watch begins',
    { path, query: 'watch=1&resourceVersion=5&timeoutSeconds=7', timeoutMs: 7_000 },
  ]);
});

test('OBS-03 WRITE-09 WATCH-15 a request that takes half a second is logged, a watch is not', async () => {
  const reports: string[] = [];
  const logger = { ...silentLogger, info: (message: string) => void reports.push(message) };
  const clock = new VirtualClock();
  // The server writes objects at its start: only the object of the test is slow.
  const handles: AdmissionPlugin['handles'] = ({ resource }) => resource.resource === 'configmaps';
  const slow: AdmissionPlugin = { name: 'Slow', handles, validate: () => sleep(clock, 501) };
  const { call, watch } = await startTestServer({ clock, logger, admission: () => [slow] });
  const made = call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const seen = await watch('/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1');
  await clock.advance(1_000);
  expect((await made).status).toBe(201);
  expect(seen.ended).toBe(true);
  expect(reports).toEqual(['slow request']);
});
