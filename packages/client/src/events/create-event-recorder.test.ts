import type { corev1, eventsv1 } from '@coracle/api';
import { Activity, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { createEventRecorder, type EventRecorderOptions } from './create-event-recorder.js';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
};

function recording(more: Partial<EventRecorderOptions> = {}) {
  const api = new MemoryApi();
  const clock = new VirtualClock();
  const client = createClient({ transport: api, user: { name: 'x', groups: [] } });
  const recorder = createEventRecorder({
    client,
    clock,
    random: { next: () => 0 },
    logger: silentLogger,
    component: 'kubelet',
    host: 'node-1',
    ...more,
  });
  const core = () => api.objects('/api/v1/events') as corev1.Event[];
  const v1 = () => api.objects('/apis/events.k8s.io/v1/events') as eventsv1.Event[];
  return { api, clock, recorder, core, v1 };
}

describe('the event recorder', () => {
  test('drops events when a thousand are pending, and accepts later ones again', async () => {
    const { clock, recorder, core } = recording();
    const about = (name: string) => ({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
    for (let i = 0; i < 1_500; i++) recorder.event(about(`web-${i}`), 'Normal', 'Pulled', 'Image is there');
    await clock.settle();
    const written = core().length;
    expect(written).toBeGreaterThanOrEqual(1_000);
    expect(written).toBeLessThan(1_010);
    recorder.event(about('late'), 'Normal', 'Pulled', 'Image is there');
    await clock.settle();
    expect(core()).toHaveLength(written + 1);
  });

  test('EVENT-02 EVENT-03 EVENT-06 EVENT-07 writes an event with all fields that clients read', async () => {
    const { clock, recorder, core } = recording();
    recorder.event(pod, 'Normal', 'Pulled', 'Image is there');
    await clock.settle();
    expect(core()).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: 'shop' },
        involvedObject: {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'web',
          namespace: 'shop',
          uid: 'u1',
          resourceVersion: '7',
        },
        type: 'Normal',
        reason: 'Pulled',
        message: 'Image is there',
        source: { component: 'kubelet', host: 'node-1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        reportingComponent: 'kubelet',
        reportingInstance: 'node-1',
      },
    ]);
  });

  test('EVENT-05 counts equal events in one', async () => {
    const { clock, recorder, core } = recording();
    for (let i = 0; i < 3; i++) {
      recorder.event(pod, 'Warning', 'BackOff', 'again');
      await clock.advance(60_000);
    }
    expect(core()).toMatchObject([
      { count: 3, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:02:00Z' },
    ]);
  });

  test('EVENT-11 reports many similar events as one', async () => {
    const { clock, recorder, core } = recording();
    for (let i = 0; i < 12; i++) recorder.event(pod, 'Warning', 'Failed', `try ${i}`);
    await clock.settle();
    expect(core().map(({ message }) => message)).toEqual([
      ...Array.from({ length: 9 }, (_, i) => `try ${i}`),
      '(combined from similar events): try 11',
    ]);
    expect(core().at(-1)?.count).toBe(3);
  });

  test('EVENT-11 rate-limits a source that records too many events about an object', async () => {
    const { api, clock, recorder } = recording();
    for (let i = 0; i < 40; i++) recorder.event(pod, 'Normal', `Reason${i}`, 'x');
    await clock.settle();
    expect(api.requests.length).toBe(25);
    await clock.advance(300_000);
    recorder.event(pod, 'Normal', 'Later', 'x');
    await clock.settle();
    expect(api.requests.length).toBe(26);
  });

  test('writes an event again when the server has dropped it', async () => {
    const { api, clock, recorder, core } = recording();
    recorder.event(pod, 'Normal', 'R', 'm');
    await clock.settle();
    api.remove(`/api/v1/namespaces/shop/events/${core()[0]?.metadata.name}`);
    recorder.event(pod, 'Normal', 'R', 'm');
    await clock.settle();
    expect(core()).toMatchObject([{ count: 2 }]);
  });

  test('retries while the server cannot be reached, and drops rejected events', async () => {
    const api = new MemoryApi();
    let failures = 3;
    const exchange: typeof api.exchange = (request) =>
      failures-- > 0 ? Promise.reject(new Error('connection refused')) : api.exchange(request);
    const client = createClient({ transport: { exchange }, user: { name: 'x', groups: [] } });
    const { clock, recorder } = recording({ client });
    recorder.event(pod, 'Normal', 'R', 'm');
    await clock.advance(60_000);
    expect(api.objects('/api/v1/events').length).toBe(1);
  });

  test('writes pending events before it ends, and leaves no timer behind', async () => {
    for (const api of ['core', 'events'] as const) {
      const { clock, recorder, core, v1 } = recording({ api });
      recorder.event(pod, 'Normal', 'R', 'm');
      await recorder[Symbol.asyncDispose]();
      expect({ written: core().length + v1().length, timers: clock.pending }).toEqual({ written: 1, timers: 0 });
    }
  });

  test('is busy while it writes, not while it waits', async () => {
    const activity = new Activity();
    const exchange = () => Promise.reject(new Error('connection refused'));
    const client = createClient({ transport: { exchange }, user: { name: 'x', groups: [] } });
    const { clock, recorder } = recording({ client, activity, random: { next: () => 0.5 } });
    recorder.event(pod, 'Normal', 'R', 'm');
    const during = activity.busy;
    await clock.settle();
    expect([during, activity.busy]).toEqual([true, false]);
    await recorder[Symbol.asyncDispose]();
  });

  test('EVENT-07 an event for a cluster-scoped object is in the default namespace, one for a part has its field path', async () => {
    const { clock, recorder, core } = recording();
    recorder.event({ kind: 'Node', name: 'n' }, 'Normal', 'R', 'm');
    recorder.event(
      { kind: 'Pod', name: 'web', namespace: 'shop', fieldPath: 'spec.containers{app}' },
      'Normal',
      'R',
      'm',
    );
    await clock.settle();
    expect(core().map(({ metadata, involvedObject }) => [metadata.namespace, involvedObject.fieldPath])).toEqual([
      ['default', undefined],
      ['shop', 'spec.containers{app}'],
    ]);
  });
});

describe('names of events', () => {
  test.each(['core', 'events'] as const)(
    'differ between recorders that speak at the same instant (%s)',
    async (form) => {
      const { api, clock, recorder } = recording({ api: form, random: seededRandom(1) });
      const client = createClient({ transport: api, user: { name: 'x', groups: [] } });
      const random = seededRandom(2);
      const other = createEventRecorder({ client, clock, random, logger: silentLogger, component: 'other', api: form });
      for (const one of [recorder, other]) one.event(pod, 'Normal', 'R', 'm');
      await clock.settle();
      const written = api.objects(form === 'core' ? '/api/v1/events' : '/apis/events.k8s.io/v1/events');
      expect(new Set(written.map(({ metadata }) => metadata.name)).size).toBe(2);
      for (const one of [recorder, other]) await one[Symbol.asyncDispose]();
    },
  );

  test.each([
    ['has a colon', 'system:node'],
    ['leaves no room for the instant', 'n'.repeat(250)],
  ])('are generated where the name of the object %s', async (_why, name) => {
    const { clock, recorder, core } = recording({ random: seededRandom(1) });
    recorder.event({ kind: 'ClusterRole', name }, 'Normal', 'R', 'm');
    await clock.settle();
    expect(core().map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
    ]);
  });
});

describe('the recorder of events.k8s.io/v1', () => {
  test('reports equal events as a series', async () => {
    const { api, clock, recorder, v1 } = recording({ api: 'events' });
    for (let i = 0; i < 4; i++) {
      recorder.event(pod, 'Normal', 'Scheduled', 'assigned', 'Binding');
      await clock.advance(1_000);
    }
    expect(v1()).toMatchObject([
      {
        regarding: { name: 'web' },
        note: 'assigned',
        action: 'Binding',
        reportingController: 'kubelet',
        reportingInstance: 'kubelet-node-1',
        eventTime: '2026-01-01T00:00:00.000000Z',
        series: { count: 2 },
      },
    ]);
    expect(api.requests.length).toBe(2);
    await clock.advance(400_000);
    expect(v1()).toMatchObject([{ series: { count: 4, lastObservedTime: '2026-01-01T00:00:03.000000Z' } }]);
    await recorder[Symbol.asyncDispose]();
  });
});
