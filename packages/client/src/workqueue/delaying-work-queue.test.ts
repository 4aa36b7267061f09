import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { DelayingWorkQueue } from './delaying-work-queue.js';
import { FifoWorkQueue } from './work-queue.js';

describe('DelayingWorkQueue', () => {
  const cases = [
    { name: 'WQ-12 the earlier time wins when it comes second', delays: [50, 30], addedAfter: 30 },
    { name: 'WQ-12 the earlier time wins when it comes first', delays: [30, 50], addedAfter: 30 },
    { name: 'WQ-10 no delay adds at once', delays: [0], addedAfter: 0 },
  ];

  test.each(cases)('$name', async ({ delays, addedAfter }) => {
    const clock = new VirtualClock();
    const queue = new FifoWorkQueue<string>();
    using delaying = new DelayingWorkQueue({ queue, clock });
    for (const delay of delays) delaying.addAfter('a', delay);

    if (addedAfter > 0) {
      await clock.advance(addedAfter - 1);
      expect(queue.size).toBe(0);
    }
    await clock.advance(1);
    expect(queue.size).toBe(1);

    await clock.advance(1_000);
    expect({ size: queue.size, timers: clock.pending }).toEqual({ size: 1, timers: 0 });
  });

  test('WQ-11 WQ-13 keys are added in the order of their times, by one timer', async () => {
    const clock = new VirtualClock();
    const queue = new FifoWorkQueue<string>();
    const delaying = new DelayingWorkQueue({ queue, clock });
    for (const [key, delay] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
    ] as const)
      delaying.addAfter(key, delay);
    expect({ timers: clock.pending, waiting: delaying.size }).toEqual({ timers: 1, waiting: 3 });

    await clock.advance(30);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a', 'b', 'c']);
  });

  test('WQ-14 drops waiting keys when disposed, and accepts no more', async () => {
    const clock = new VirtualClock();
    const queue = new FifoWorkQueue<string>();
    const delaying = new DelayingWorkQueue({ queue, clock });
    delaying.addAfter('a', 10);
    delaying[Symbol.dispose]();
    delaying.addAfter('b', 10);
    await clock.advance(100);
    expect({ size: queue.size, timers: clock.pending }).toEqual({ size: 0, timers: 0 });
  });

  test('a key waits no longer when the time of day is set back', async () => {
    const clock = new VirtualClock();
    const queue = new FifoWorkQueue<string>();
    using delaying = new DelayingWorkQueue({ queue, clock });
    delaying.addAfter('a', 10_000);
    clock.setForward(-3_600_000);
    await clock.advance(10_000);
    expect({ size: queue.size, timers: clock.pending }).toEqual({ size: 1, timers: 0 });
  });

  test('a hundred thousand waiting keys set one timer', () => {
    const clock = new VirtualClock();
    const delaying = new DelayingWorkQueue({ queue: new FifoWorkQueue<string>(), clock });
    for (let i = 0; i < 100_000; i++) delaying.addAfter(`key-${i}`, 1_000 + i);
    expect({ timers: clock.pending, waiting: delaying.size }).toEqual({ timers: 1, waiting: 100_000 });
  });
});
