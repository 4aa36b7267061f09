import type { Pod } from '@coracle/api';
import { Activity, nextTurn, silentLogger, VirtualClock } from '@coracle/base';
import type { PodSink, PodSource } from '@coracle/kubelet';
import { expect, test } from 'vitest';
import { ThrottledPods } from './throttled-pods.js';

/** A source whose changes a test sends. */
function setUp() {
  const clock = new VirtualClock();
  const activity = new Activity();
  const controlPlane = new Activity(activity);
  const sinks: PodSink[] = [];
  const there: Pod[] = [];
  const source: PodSource = {
    follow: (_node, sink) => {
      sinks.push(sink);
      for (const pod of there) sink.set(pod);
      return { [Symbol.dispose]: () => undefined };
    },
    synced: () => Promise.resolve(),
  };
  const events: string[] = [];
  const pods = new ThrottledPods({ source, controlPlane, activity, clock, logger: silentLogger });
  const follow = () =>
    pods.follow('node-1', {
      set: ({ metadata }) => {
        if (metadata.name === 'bad') throw new Error('cannot take it');
        events.push(`+${metadata.name}`);
      },
      remove: ({ metadata }) => void events.push(`-${metadata.name}`),
    });
  return { clock, activity, controlPlane, there, notifications: events, follow, sink: () => sinks.at(-1) as PodSink };
}

const pod = (name: string): Pod => ({ metadata: { name } });

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

test('while the control plane is idle, a pod is delivered at once', () => {
  const { notifications, follow, sink } = setUp();
  follow();
  sink().set(pod('a'));
  sink().remove(pod('a'));
  expect(notifications).toEqual(['+a', '-a']);
});

test('while it is busy, everything waits in order, and counts as work', async () => {
  const { activity, controlPlane, notifications, follow, sink } = setUp();
  follow();
  const work = controlPlane.begin();
  sink().set(pod('a'));
  sink().set(pod('b'));
  sink().remove(pod('a'));
  await turns(10);
  expect(notifications).toEqual([]);
  work[Symbol.dispose]();
  expect(activity.busy).toBe(true);
  await turns(3);
  expect(notifications).toEqual(['+a', '+b', '-a']);
  expect(activity.busy).toBe(false);
});

test('many are delivered a few at a time, and not while the control plane handles the previous ones', async () => {
  const { controlPlane, notifications, follow, sink } = setUp();
  follow();
  const first = controlPlane.begin();
  for (let i = 0; i < 100; i++) sink().set(pod(`p${i}`));
  first[Symbol.dispose]();
  await turns(2);
  const second = controlPlane.begin();
  const before = notifications.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(100);
  await turns(20);
  expect(notifications).toHaveLength(before);
  second[Symbol.dispose]();
  await turns(60);
  expect(notifications).toHaveLength(100);
});

test('right after the control plane has become idle, fewer are delivered in a turn than later', async () => {
  const { controlPlane, notifications, follow, sink } = setUp();
  follow();
  const work = controlPlane.begin();
  for (let i = 0; i < 1_000; i++) sink().set(pod(`p${i}`));
  work[Symbol.dispose]();
  await turns(20);
  const slow = notifications.length;
  await turns(5);
  const before = notifications.length;
  await turns(10);
  expect(slow).toBeLessThanOrEqual(20 * 8);
  expect(notifications.length - before).toBeGreaterThanOrEqual(9 * 32);
});

test('no pod waits for longer than three seconds', async () => {
  const { clock, controlPlane, notifications, follow, sink } = setUp();
  follow();
  const work = controlPlane.begin();
  sink().set(pod('a'));
  await clock.advance(2_000);
  sink().set(pod('b'));
  await clock.advance(999);
  expect(notifications).toEqual([]);
  await clock.advance(1);
  expect(notifications).toEqual(['+a']);
  await clock.advance(2_000);
  expect(notifications).toEqual(['+a', '+b']);
  work[Symbol.dispose]();
});

test('existing pods are delivered before following begins, however busy the control plane is', () => {
  const { controlPlane, there, notifications, follow } = setUp();
  there.push(pod('a'));
  using _work = controlPlane.begin();
  follow();
  expect(notifications).toEqual(['+a']);
});

test('a kubelet that throws loses that pod, and no other one', async () => {
  const { activity, controlPlane, notifications, follow, sink } = setUp();
  follow();
  const work = controlPlane.begin();
  for (const name of ['a', 'bad', 'b']) sink().set(pod(name));
  work[Symbol.dispose]();
  await turns(5);
  sink().set(pod('c'));
  await turns(5);
  expect(notifications).toEqual(['+a', '+b', '+c']);
  expect(activity.busy).toBe(false);
});

test('a kubelet that has stopped following gets no more pods', async () => {
  const { controlPlane, notifications, follow, sink } = setUp();
  const following = follow();
  const work = controlPlane.begin();
  sink().set(pod('a'));
  following[Symbol.dispose]();
  work[Symbol.dispose]();
  await turns(5);
  expect(notifications).toEqual([]);
});
