import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Activity } from '../async/activity.js';
import { nextTurn } from '../async/next-turn.js';
import { monotonicNow } from './clock.js';
import { VirtualClock } from './virtual-clock.js';

describe('VirtualClock', () => {
  test('runs each task at its own instant, in order of time and then of scheduling', async () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const ran: [string, number][] = [];
    for (const [name, delay] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const)
      clock.schedule(delay, () => void ran.push([name, clock.now()]));
    await clock.advance(25);
    expect(ran).toEqual([
      ['a', 1_010],
      ['b1', 1_020],
      ['b2', 1_020],
    ]);
    expect([clock.now(), clock.pending]).toEqual([1_025, 1]);
  });

  test('the time of day can be set, which is not time that passes', async () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const ran: number[] = [];
    clock.schedule(30, () => void ran.push(clock.now()));
    clock.setForward(-500);
    expect([clock.now(), monotonicNow(clock)]).toEqual([500, 1_000]);
    await clock.advance(29);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toEqual([530]);
  });

  test('lets promises settle between two tasks', async () => {
    const clock = new VirtualClock();
    const steps: string[] = [];
    clock.schedule(1, () => {
      void (async () => {
        for (let i = 0; i < 20; i++) await Promise.resolve();
        steps.push('settled');
      })();
    });
    clock.schedule(2, () => void steps.push('next'));
    await clock.advance(5);
    expect(steps).toEqual(['settled', 'next']);
  });

  test('runs tasks that were scheduled by tasks', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const again = () => {
      count++;
      clock.schedule(10, again);
    };
    clock.schedule(10, again);
    await clock.advance(100);
    expect(count).toBe(10);
  });

  test('drops a cancelled task, and counts it once', async () => {
    const clock = new VirtualClock();
    let ran = false;
    const timer = clock.schedule(10, () => (ran = true));
    expect(clock.pending).toBe(1);
    timer[Symbol.dispose]();
    timer[Symbol.dispose]();
    await clock.advance(20);
    expect({ ran, pending: clock.pending }).toEqual({ ran: false, pending: 0 });
  });

  test('does not count a task that has run, even when it is disposed later', async () => {
    const clock = new VirtualClock();
    const timer = clock.schedule(10, () => {});
    await clock.advance(10);
    timer[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  test('settle runs what is due now and waits while something is busy', async () => {
    const activity = new Activity();
    const clock = new VirtualClock({ activity });
    let ran = false;
    let isOver = false;
    clock.schedule(0, () => (ran = true));
    clock.schedule(-5, () => {});
    void work(activity.begin(), 100, () => (isOver = true));
    await clock.settle();
    expect({ ran, isOver, pending: clock.pending }).toEqual({ ran: true, isOver: true, pending: 0 });
  });

  test('time passes for work that waits for it', async () => {
    const activity = new Activity();
    const clock = new VirtualClock({ activity });
    let isOver = false;
    const busy = activity.begin();
    const waiting = activity.awaitTime();
    clock.schedule(1_000, () => {
      waiting[Symbol.dispose]();
      void work(busy, 100, () => (isOver = true));
    });
    await clock.settle();
    expect(isOver).toBe(false);
    await clock.advance(1_000);
    expect(isOver).toBe(true);
  });

  test('the clock does not advance while work is in progress beside work that waits for it', async () => {
    const activity = new Activity();
    const clock = new VirtualClock({ activity });
    using _waiting = activity.awaitTime();
    using _stuck = activity.begin();
    let steps = 0;
    let isWritten = false;
    void (async () => {
      for (; steps < 100; steps++) await work(activity.begin(), 5, () => {});
      await work(activity.beginOutside(), 200, () => (isWritten = true));
    })();
    await clock.settle();
    expect({ steps, isWritten }).toEqual({ steps: 100, isWritten: true });
  });

  test('never runs a task before its time or out of order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(100), { maxLength: 20 }), async (delays) => {
        const clock = new VirtualClock({ startAt: 0 });
        const ran: number[] = [];
        for (const delay of delays)
          clock.schedule(delay, () => {
            expect(clock.now()).toBe(delay);
            ran.push(delay);
          });
        await clock.advance(50);
        expect(ran).toEqual(delays.filter((delay) => delay <= 50).sort((a, b) => a - b));
        expect(clock.pending).toBe(delays.filter((delay) => delay > 50).length);
      }),
      { numRuns: 30 },
    );
  });
});

/** Ends after so many turns of the event loop. */
async function work(busy: Disposable, turns: number, end: () => void): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  end();
  busy[Symbol.dispose]();
}

test('a cancelled task is released, though the clock does not advance', async () => {
  const clock = new VirtualClock();
  const ran: number[] = [];
  clock.schedule(50, () => ran.push(1));
  for (let i = 0; i < 10_000; i++) clock.schedule(10, () => ran.push(i))[Symbol.dispose]();
  clock.schedule(20, () => ran.push(2));
  expect(clock.pending).toBe(2);
  await clock.advance(100);
  expect(ran).toEqual([2, 1]);
});
