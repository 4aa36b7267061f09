import { Activity, Deferred, type MetricLabels, type Metrics, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createWorkQueue } from './rate-limiting-work-queue.js';
import { runWorkers, TerminalError } from './run-workers.js';

describe('runWorkers', () => {
  test('WQ-1 retries a key after failures with backoff, and resets it after a success', async () => {
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    const tries: number[] = [];
    const start = clock.now();
    const workers = runWorkers({
      queue,
      reconcile: () => {
        tries.push(clock.now() - start);
        if (tries.length < 4) throw new Error('not yet');
      },
    });
    queue.add('a');
    await clock.advance(1_000);
    expect({ tries, retries: queue.retries('a') }).toEqual({ tries: [0, 5, 15, 35], retries: 0 });
    await workers[Symbol.asyncDispose]();
  });

  test('does not try again after a terminal error', async () => {
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    let tries = 0;
    await using _workers = runWorkers({
      queue,
      reconcile: () => {
        tries++;
        throw new TerminalError('hopeless');
      },
    });
    queue.add('a');
    await clock.advance(10_000);
    expect({ tries, timers: clock.pending }).toEqual({ tries: 1, timers: 0 });
  });

  test('reconciles a key again after the requested time', async () => {
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    let seen = 0;
    await using _workers = runWorkers({
      queue,
      reconcile: () => (seen++ === 0 ? { requeueAfterMs: 60_000 } : undefined),
    });
    queue.add('a');
    await clock.advance(59_999);
    expect(seen).toBe(1);
    await clock.advance(1);
    expect(seen).toBe(2);
  });

  test('CT-4 works on many keys at once and never on one key twice', async () => {
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    const running = new Set<string>();
    let most = 0;
    let twice = false;
    const gates: Deferred<void>[] = [];
    await using _workers = runWorkers({
      queue,
      workers: 3,
      reconcile: async (key) => {
        twice ||= running.has(key);
        running.add(key);
        most = Math.max(most, running.size);
        const gate = new Deferred<void>();
        gates.push(gate);
        await gate.promise;
        running.delete(key);
      },
    });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await clock.settle();
    queue.add('a');
    await clock.settle();
    while (gates.length > 0) {
      for (const gate of gates.splice(0)) gate.resolve();
      await clock.settle();
    }
    expect({ most, twice }).toEqual({ most: 3, twice: false });
  });

  test('is busy while a key is worked on', async () => {
    const activity = new Activity();
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    const gate = new Deferred<void>();
    await using _workers = runWorkers({ queue, activity, reconcile: () => gate.promise });
    const before = activity.busy;
    queue.add('a');
    await clock.settle();
    const during = activity.busy;
    gate.resolve();
    await clock.settle();
    expect([before, during, activity.busy]).toEqual([false, true, false]);
  });

  test('disposing aborts the signal, waits for running reconciles and drops the rest', async () => {
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock });
    const seen: string[] = [];
    const workers = runWorkers({
      queue,
      reconcile: (key, { signal }) =>
        new Promise<void>((_, reject) => {
          seen.push(key);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    queue.add('a');
    queue.add('b');
    await clock.settle();
    await workers[Symbol.asyncDispose]();
    expect({ seen, timers: clock.pending }).toEqual({ seen: ['a'], timers: 0 });
  });
});

test('WQ-9 keeps the metrics of a queue', async () => {
  const values: Record<string, number> = {};
  const record = (name: string) => ({
    add: (value: number, _labels?: MetricLabels) => void (values[name] = (values[name] ?? 0) + value),
    set: (value: number, _labels?: MetricLabels) => void (values[name] = value),
    observe: (value: number, _labels?: MetricLabels) => void (values[name] = value),
  });
  const metrics: Metrics = {
    counter: ({ name }) => record(name),
    gauge: ({ name }) => record(name),
    histogram: ({ name }) => record(name),
  };
  const clock = new VirtualClock();
  const queue = createWorkQueue<string>({ clock, metrics, name: 'deployment' });
  queue.add('a');
  queue.add('a');
  queue.add('b');
  await clock.advance(2_000);
  await queue.take();
  await clock.advance(3_000);
  queue.done('a');
  queue.addRateLimited('a');
  expect(values).toEqual({
    workqueue_adds_total: 2,
    workqueue_depth: 1,
    workqueue_queue_duration_seconds: 2,
    workqueue_work_duration_seconds: 3,
    workqueue_unfinished_work_seconds: 0,
    workqueue_longest_running_processor_seconds: 0,
    workqueue_retries_total: 1,
  });
});
