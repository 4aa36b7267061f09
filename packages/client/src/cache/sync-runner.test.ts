import { Activity, aborted, Deferred, nextTurn, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { SyncRunner, type SyncRunnerOptions } from './sync-runner.js';

const backoff = { initialMs: 100, maxMs: 400 };

function setUp(options: Partial<SyncRunnerOptions> = {}) {
  const activity = new Activity();
  const clock = new VirtualClock({ activity });
  const errors: unknown[] = [];
  const starts: number[] = [];
  const { sync = async () => undefined } = options;
  const runner = new SyncRunner({
    informers: { synced: async () => undefined },
    clock,
    activity,
    backoff,
    onError: (error) => errors.push(error),
    ...options,
    sync: (signal) => {
      starts.push(clock.now());
      return sync(signal);
    },
  });
  const rest = async () => {
    await nextTurn();
    await activity.rest();
  };
  return { activity, clock, errors, starts, runner, rest };
}

test('the first sync waits for the informers', async () => {
  const synced = new Deferred<void>();
  const { runner, starts } = setUp({ informers: { synced: () => synced.promise } });
  runner.wake();
  await nextTurn();
  expect(starts).toHaveLength(0);
  synced.resolve();
  await runner.started();
  expect(starts).toHaveLength(1);
});

test('many events become one sync', async () => {
  const { runner, starts, rest } = setUp();
  await runner.started();
  for (let i = 0; i < 10; i++) runner.wake();
  await rest();
  expect(starts).toHaveLength(2);
});

test('an event during a sync brings one more', async () => {
  const { runner, starts, rest } = setUp({
    sync: async () => {
      if (starts.length === 1) for (let i = 0; i < 3; i++) runner.wake();
    },
  });
  await rest();
  expect(starts).toHaveLength(2);
});

test('an event in the moment in which the last sync ends is not lost', async () => {
  const { runner, starts, rest } = setUp();
  await runner.started();
  for (let turns = 0; turns < 10; turns++) {
    const before = starts.length;
    runner.wake();
    while (starts.length === before) await nextTurn();
    for (let i = 0; i < turns; i++) await Promise.resolve();
    runner.wake();
    await rest();
    expect(starts.length).toBe(before + 2);
  }
});

test('a sync that fails is retried, slower each time, until one succeeds', async () => {
  const { runner, starts, errors, clock, rest } = setUp({
    sync: async () => {
      if (starts.length < 5) throw new Error('refused');
    },
  });
  const began = clock.now();
  await rest();
  await clock.advance(5_000);
  expect(starts.map((at) => at - began)).toEqual([0, 100, 300, 700, 1_100]);
  expect(errors).toHaveLength(4);
  expect(runner.isRunning).toBe(false);
});

test('a sync may request the next one', async () => {
  const { starts, clock, rest } = setUp({ sync: async () => (starts.length === 1 ? 30_000 : undefined) });
  const began = clock.now();
  await rest();
  await clock.advance(120_000);
  expect(starts.map((at) => at - began)).toEqual([0, 30_000]);
});

test('syncs have a minimum interval', async () => {
  const { runner, starts, clock, rest } = setUp({
    minPeriodMs: 1_000,
    sync: async () => {
      if (starts.length < 3) runner.wake();
    },
  });
  const began = clock.now();
  await nextTurn();
  await clock.advance(5_000);
  await rest();
  expect(starts.map((at) => at - began)).toEqual([0, 1_000, 2_000]);
});

test('after it is disposed nothing runs, and a sync in progress is awaited', async () => {
  const ending = new Deferred<void>();
  const { runner, starts } = setUp({ sync: () => ending.promise });
  while (starts.length === 0) await nextTurn();
  const disposed = runner[Symbol.asyncDispose]();
  runner.wake();
  ending.resolve();
  await disposed;
  runner.wake();
  await nextTurn();
  expect(starts).toHaveLength(1);
});

test('it ends although informers that were created later cannot sync, and its sync is aborted', async () => {
  let syncing = Promise.resolve();
  const { runner, starts, activity } = setUp({
    informers: { synced: () => syncing },
    sync: (signal) => (starts.length === 1 ? Promise.resolve() : aborted(signal)),
  });
  await runner.started();
  syncing = new Promise(() => undefined);
  runner.wake();
  await nextTurn();
  await runner[Symbol.asyncDispose]();
  expect({ starts: starts.length, busy: activity.busy }).toEqual({ starts: 1, busy: false });

  const other = setUp({ sync: (signal) => aborted(signal) });
  while (other.starts.length === 0) await nextTurn();
  await other.runner[Symbol.asyncDispose]();
  expect(other.activity.busy).toBe(false);
});

test('its start ends with it, though the informers never sync', async () => {
  const { runner, starts } = setUp({ informers: { synced: () => new Promise(() => undefined) } });
  const started = runner.started();
  await runner[Symbol.asyncDispose]();
  await started;
  expect(starts).toHaveLength(0);
});
