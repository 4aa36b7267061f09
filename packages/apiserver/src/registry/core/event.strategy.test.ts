import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

const core = '/api/v1/namespaces/default/events';
const newer = '/apis/events.k8s.io/v1/namespaces/default/events';
const minute = 60_000;

const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  reason: 'Started',
  message: 'Started container',
  type: 'Normal',
  source: { component: 'kubelet' },
  count: 1,
});

const newerEvent = (name: string) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name },
  regarding: { kind: 'Pod', name: 'web', namespace: 'default' },
  reason: 'Scheduled',
  note: 'assigned',
  type: 'Normal',
  action: 'Binding',
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'scheduler',
  reportingInstance: 'scheduler-1',
});

describe('an event', () => {
  test('EVENT-08 STORE-20 RES-16 expires an hour after its last write, and watchers receive the deletion', async () => {
    const { call, clock, watch } = await startTestServer();
    await call('POST', core, event('a'));
    await clock.advance(59 * minute);
    const { events } = await watch(`${core}?watch=true`);
    expect((await call('GET', `${core}/a`)).status).toBe(200);
    await clock.advance(3 * minute);
    expect((await call('GET', `${core}/a`)).status).toBe(404);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  test('EVENT-05 lives longer when it is repeated', async () => {
    const { call, clock } = await startTestServer();
    await call('POST', core, event('a'));
    await clock.advance(45 * minute);
    const again = { count: 2, lastTimestamp: '2026-01-01T00:45:00Z' };
    await call('PATCH', `${core}/a`, again, { 'content-type': 'application/strategic-merge-patch+json' });
    await clock.advance(45 * minute);
    expect((await call('GET', `${core}/a`)).body).toMatchObject({ count: 2 });
    await clock.advance(20 * minute);
    expect((await call('GET', `${core}/a`)).status).toBe(404);
  });

  test('KEY-05 EVENT-08 is the same in both groups, with the field names of each', async () => {
    const { call } = await startTestServer();
    await call('POST', newer, newerEvent('b'));
    expect((await call('GET', `${core}/b`)).body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { name: 'web' },
      message: 'assigned',
      reportingComponent: 'scheduler',
    });
    await call('POST', core, event('a'));
    expect((await call('GET', `${newer}/a`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'web' },
      note: 'Started container',
      deprecatedSource: { component: 'kubelet' },
      deprecatedCount: 1,
    });
    expect((await call('GET', core)).body).toMatchObject({ items: [{}, {}] });
  });

  test('EVENT-02 becomes a series when it continues', async () => {
    const { call } = await startTestServer();
    await call('POST', newer, newerEvent('b'));
    const series = { count: 2, lastObservedTime: '2026-01-01T00:05:00.000000Z' };
    const patched = await call(
      'PATCH',
      `${newer}/b`,
      { series },
      { 'content-type': 'application/strategic-merge-patch+json' },
    );
    expect(patched.body.series).toEqual(series);
    expect((await call('GET', `${core}/b`)).body.series).toEqual(series);
  });

  test('is found by its involved object', async () => {
    const { call } = await startTestServer();
    await call('POST', core, event('a'));
    const { body } = await call('GET', `${core}?fieldSelector=involvedObject.name=web,reason=Started`);
    expect(body.items).toHaveLength(1);
    expect((await call('GET', `${core}?fieldSelector=involvedObject.name=other`)).body.items).toEqual([]);
  });
});
