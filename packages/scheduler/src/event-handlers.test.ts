import { type Pod, refs } from '@coracle/api';
import { noMetrics, noTracer, VirtualClock } from '@coracle/base';
import type { InformerEvent, InformerFactory } from '@coracle/client';
import { describe, expect, test } from 'vitest';
import { WaitingPods } from './binding-cycle.js';
import { makePod } from './builders.fixture.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import { followCluster } from './event-handlers.js';
import { NominatedPods } from './preemption/nominated-pods.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import type { SchedulerProfile } from './schedule-one.js';
import { SchedulerMetrics } from './scheduler-metrics.js';

const schedulerName = 'default-scheduler';

/** A scheduler's view of the cluster, and a way to send it changes of pods. */
function setUp() {
  const clock = new VirtualClock();
  let send: (event: InformerEvent<Pod>) => void = () => {};
  const informers = {
    for: (ref: { readonly resource: string }) => ({
      addHandler(handler: typeof send) {
        if (ref.resource === refs.pods.resource) send = handler;
        return { [Symbol.dispose]() {} };
      },
    }),
  } as unknown as InformerFactory;
  const parts = {
    ...{ metrics: new SchedulerMetrics(noMetrics), waiting: new WaitingPods(clock), tracer: noTracer },
    cache: new SchedulerCache({ clock, assumedTtlMs: 0 }),
    nominated: new NominatedPods(),
    profiles: new Map([[schedulerName, {} as SchedulerProfile]]),
    queue: new SchedulingQueue({ clock, compare: () => 0, mayHelp: () => true, gate: () => undefined }),
  };
  followCluster(informers, parts);
  return { ...parts, send: (event: InformerEvent<Pod>) => send(event) };
}

function pending(labels: Record<string, string> = {}): Pod {
  return makePod('web', { labels, spec: { schedulerName }, status: { nominatedNodeName: 'a' } });
}

describe('a pod that is nominated for a node', () => {
  test('counts there with the labels that it has now', () => {
    const { send, nominated } = setUp();
    const previous = pending({ app: 'old' });
    send({ type: 'added', object: previous, initial: true });
    send({ type: 'updated', object: pending({ app: 'new' }), previous });

    expect(nominated.on('a').map(({ labels }) => labels)).toEqual([{ app: 'new' }]);
  });
});

describe('a pod whose binding and end arrive as one change, after a gap of the watch', () => {
  test.each(['Succeeded', 'Failed'])('is not scheduled again: %s', (phase) => {
    const { send, nominated, queue } = setUp();
    const previous = pending();
    send({ type: 'added', object: previous, initial: true });
    const spec = { containers: [], ...previous.spec, nodeName: 'b' };
    send({ type: 'updated', object: { ...previous, spec, status: { phase } }, previous });

    expect([queue.takeNow(), nominated.on('a')]).toEqual([undefined, []]);
  });
});
