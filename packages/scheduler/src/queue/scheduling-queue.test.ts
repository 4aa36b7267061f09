import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makeNode, makePod, makePodInfo } from '../builders.fixture.js';
import { podInfoOf } from '../cache/pod-info.js';
import { prioritySort } from '../plugins/priority-sort.js';
import type { ClusterEvent } from './cluster-event.js';
import type { QueuedPod } from './queued-pod.js';
import { SchedulingQueue } from './scheduling-queue.js';

const nodeAdded: ClusterEvent = { kind: 'node-added', node: makeNode('a') };
const podDeleted: ClusterEvent = { kind: 'pod-deleted', pod: makePodInfo('gone') };
const byFit = new Set(['Fit']);

/** A queue in which the plugin `Fit` is helped by new nodes only, and pods with gates are gated. */
function setUp() {
  const clock = new VirtualClock();
  const hints: string[] = [];
  const queue = new SchedulingQueue({
    clock,
    compare: prioritySort.compare,
    gate: ({ pod }) => {
      hints.push(pod.metadata.name ?? '');
      return pod.spec?.schedulingGates?.length ? 'SchedulingGates' : undefined;
    },
    mayHelp: (event, { refusedBy }) => event.kind === 'node-added' && refusedBy.has('Fit'),
  });
  return { clock, queue, hints };
}

/** Takes the only pod in the queue. */
function takeNow(queue: SchedulingQueue): QueuedPod {
  const pod = queue.takeNow();
  if (!pod) throw new Error('nothing to take');
  return pod;
}

describe('SCH-92 the order in which pods are handed out', () => {
  const cases = [
    {
      name: 'the first come first',
      pods: [
        ['a', 0],
        ['b', 0],
      ] as const,
      taken: ['a', 'b'],
    },
    {
      name: 'the more important before those that wait longer',
      pods: [
        ['a', 0],
        ['b', 10],
        ['c', 5],
      ] as const,
      taken: ['b', 'c', 'a'],
    },
    {
      name: 'negative priorities last',
      pods: [
        ['a', -1],
        ['b', 0],
      ] as const,
      taken: ['b', 'a'],
    },
  ];

  test.each(cases)('$name', ({ pods, taken }) => {
    const { queue } = setUp();
    for (const [name, priority] of pods) queue.add(makePodInfo(name, { priority }));

    expect(pods.map(() => takeNow(queue).info.uid)).toEqual(taken);
    expect(queue.takeNow()).toBeUndefined();
  });
});

describe('SCH-90 a pod that was refused', () => {
  test('waits, and an event that concerns no plugin that refused it changes nothing', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);

    queue.onEvent(podDeleted);
    expect({ waiting: queue.count('unschedulable'), next: queue.takeNow() }).toEqual({ waiting: 1, next: undefined });
  });

  test('is taken before its backoff ends when an event requeued it and no other pod is active', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);

    queue.onEvent(nodeAdded);
    expect(queue.count('backoff')).toBe(1);
    expect(takeNow(queue).info.uid).toBe('a');
  });

  test('comes after active pods while its backoff lasts', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a', { priority: 10 }));
    queue.refuse(takeNow(queue), byFit);
    queue.onEvent(nodeAdded);
    queue.add(makePodInfo('b'));

    expect([takeNow(queue).info.uid, takeNow(queue).info.uid]).toEqual(['b', 'a']);
  });

  test('is active at once when it is requeued after its backoff', async () => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);
    await clock.advance(1_000);

    queue.onEvent(nodeAdded);
    expect(queue.count('active')).toBe(1);
  });

  test.each([-3_600_000, 3_600_000])('has the same backoff when the time of day is set by %d ms', async (ms) => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);
    queue.onEvent(nodeAdded);
    clock.setForward(ms);
    await clock.advance(999);
    expect(queue.count('backoff')).toBe(1);
    await clock.advance(1);
    expect(queue.count('active')).toBe(1);
  });

  test('goes to its backoff when the event came while it was being tried (SCH-91)', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    const pod = takeNow(queue);
    queue.onEvent(podDeleted);
    queue.onEvent(nodeAdded);

    queue.refuse(pod, byFit);
    expect({ backoff: queue.count('backoff'), unschedulable: queue.count('unschedulable') }).toEqual({
      backoff: 1,
      unschedulable: 0,
    });
  });

  test('is not requeued by an event that it caused itself', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    const pod = takeNow(queue);
    queue.onEvent(nodeAdded, { except: 'a' });

    queue.refuse(pod, byFit);
    expect(queue.count('unschedulable')).toBe(1);
  });

  test('is tried again after five minutes without any event', async () => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);

    await clock.advance(299_999);
    expect(queue.count('active')).toBe(0);
    await clock.advance(1);
    expect(queue.count('active')).toBe(1);
  });

  test('is requeued by its own update, but not by a new status', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);

    queue.refresh(makePodInfo('a', { status: { phase: 'Pending' } }));
    expect(queue.count('unschedulable')).toBe(1);
    queue.update(makePodInfo('a', { labels: { app: 'web' } }));
    expect(takeNow(queue).info.labels).toEqual({ app: 'web' });
  });
});

describe('SCH-19 backoff', () => {
  test('doubles with every attempt from 1 s up to 10 s', async () => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      queue.refuse(takeNow(queue), new Set());
      const from = clock.now();
      while (queue.count('active') === 0) await clock.advance(500);
      waits.push(clock.now() - from);
    }

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('counts errors in a row by themselves, and refusals without them', async () => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    const waits: number[] = [];
    for (const refusedBy of [byFit, byFit, new Set<string>(), new Set<string>(), byFit]) {
      queue.refuse(takeNow(queue), refusedBy);
      queue.onEvent(nodeAdded);
      const from = clock.now();
      while (queue.count('active') === 0) await clock.advance(500);
      waits.push(clock.now() - from);
    }
    expect(waits).toEqual([1_000, 2_000, 1_000, 2_000, 4_000]);
  });

  test('SCH-90 pods whose backoff ends in the same second are sorted by the queue sort plugin', () => {
    const { queue } = setUp();
    for (const [name, priority] of [
      ['first', 0],
      ['important', 10],
    ] as const)
      queue.add(makePodInfo(name, { priority }));
    const taken = [takeNow(queue), takeNow(queue)];
    for (const pod of taken.reverse()) queue.refuse(pod, byFit);
    queue.onEvent(nodeAdded);
    expect([takeNow(queue).info.uid, takeNow(queue).info.uid]).toEqual(['important', 'first']);
  });

  test('lasts in full after an error, whatever events occur', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), new Set());

    queue.onEvent(nodeAdded);
    expect({ resting: queue.count('resting'), next: queue.takeNow() }).toEqual({ resting: 1, next: undefined });
  });
});

describe('scheduling gates', () => {
  const gated = () => makePodInfo('a', { spec: { schedulingGates: [{ name: 'wait' }] } });

  test('keep a pod out until they are gone', () => {
    const { queue } = setUp();
    queue.add(gated());
    expect({ next: queue.takeNow(), waiting: queue.count('unschedulable') }).toEqual({ next: undefined, waiting: 1 });

    queue.update(makePodInfo('a'));
    expect(takeNow(queue).info.uid).toBe('a');
  });

  test('are evaluated again only when the pod changes', async () => {
    const { queue, hints, clock } = setUp();
    queue.add(gated());
    queue.onEvent(nodeAdded);
    await clock.advance(600_000);

    expect(hints).toEqual(['a']);
  });
});

describe('taking', () => {
  test('waits for a pod', async () => {
    const { queue } = setUp();
    const waiting = queue.take();
    queue.add(makePodInfo('a'));

    expect((await waiting)?.info.uid).toBe('a');
  });

  test('ends when the queue is closed, which leaves no timer', async () => {
    const { queue, clock } = setUp();
    queue.add(makePodInfo('a'));
    queue.refuse(takeNow(queue), byFit);
    const waiting = queue.take();
    queue.close();

    expect({ next: await waiting, timers: clock.pending }).toEqual({ next: undefined, timers: 0 });
  });

  test('a pod that is removed is not handed out, and one of the same name may come after it', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    queue.remove('a');
    expect(queue.takeNow()).toBeUndefined();

    const again = makePod('a', { labels: { second: 'yes' } });
    queue.add(podInfoOf(again));
    expect(takeNow(queue).info.pod).toBe(again);
  });

  test('a deleted pod is not requeued by the caller that took it', () => {
    const { queue } = setUp();
    queue.add(makePodInfo('a'));
    const held = takeNow(queue);
    queue.remove('a');
    queue.refuse(held, byFit);

    expect(queue.size).toBe(0);
  });
});
