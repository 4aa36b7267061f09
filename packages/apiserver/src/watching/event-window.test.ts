import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import { CacheEvent } from './cache-event.js';
import { EventWindow } from './event-window.js';

function windowWith(clock: VirtualClock, revisions: number, from = 1): EventWindow {
  const window = new EventWindow(clock, from - 1);
  for (let revision = from; revision < from + revisions; revision++) add(window, clock, revision);
  return window;
}

function add(window: EventWindow, clock: VirtualClock, revision: number, current?: StoredObject): void {
  const recordedAt = clock.now();
  window.add(new CacheEvent({ revision, key: 'k', current, previous: undefined, recordedAt }));
}

const revisionsAfter = (window: EventWindow, revision: number) =>
  window.after(revision)?.map((event) => event.revision);

describe('the window of events', () => {
  test('drops the oldest, however recent, when all of them take too much memory, but keeps the last hundred', () => {
    const clock = new VirtualClock();
    const window = new EventWindow(clock, 0);
    const megabyte = StoredObject.fromKeyValue(
      { key: 'k', value: new Uint8Array(2 ** 19), createRevision: 1, modRevision: 1, version: 1, lease: 0 },
      new ObjectFormat('v1', 'ConfigMap'),
    );
    for (let revision = 1; revision <= 300; revision++) add(window, clock, revision);
    for (let revision = 301; revision <= 307; revision++) add(window, clock, revision, megabyte);
    expect(window.size).toBe(307);
    for (let revision = 308; revision <= 450; revision++) add(window, clock, revision, megabyte);
    expect({ size: window.size, oldest: window.oldest }).toEqual({ size: 100, oldest: 350 });
    expect(window.after(349)).toBeUndefined();
    expect(revisionsAfter(window, 448)).toEqual([449, 450]);
  });

  test('CACHE-11 returns the events after a revision', () => {
    const window = windowWith(new VirtualClock(), 8);
    expect(revisionsAfter(window, 5)).toEqual([6, 7, 8]);
    expect(revisionsAfter(window, 8)).toEqual([]);
    expect(revisionsAfter(window, 0)).toHaveLength(8);
  });

  test('CACHE-10 returns nothing if some of them were dropped', () => {
    const window = windowWith(new VirtualClock(), 3, 10);
    expect(window.after(8)).toBeUndefined();
    expect(revisionsAfter(window, 9)).toEqual([10, 11, 12]);
  });

  test('CACHE-08 doubles while all that it holds is fresh', () => {
    const window = windowWith(new VirtualClock(), 500);
    expect(window.capacity).toBe(800);
    expect(revisionsAfter(window, 0)).toHaveLength(500);
  });

  test('CACHE-07 drops the oldest when they are no longer fresh', async () => {
    const clock = new VirtualClock();
    const window = windowWith(clock, 100);
    await clock.advance(76_000);
    add(window, clock, 101);
    expect(window.capacity).toBe(100);
    expect(window.after(0)).toBeUndefined();
    expect(revisionsAfter(window, 1)?.[0]).toBe(2);
  });

  test('CACHE-09 halves when three quarters of it are old', async () => {
    const clock = new VirtualClock();
    const window = windowWith(clock, 400);
    expect(window.capacity).toBe(400);
    await clock.advance(76_000);
    add(window, clock, 401);
    expect(window.capacity).toBe(200);
    expect(window.size).toBe(200);
    expect(revisionsAfter(window, 400)).toEqual([401]);
  });
});
