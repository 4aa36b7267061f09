import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { CacheEvent } from './cache-event.js';
import { EventWindow } from './event-window.js';

function windowWith(clock: VirtualClock, revisions: number, from = 1): EventWindow {
  const window = new EventWindow(clock, from - 1);
  for (let revision = from; revision < from + revisions; revision++) add(window, clock, revision);
  return window;
}

function add(window: EventWindow, clock: VirtualClock, revision: number): void {
  const recordedAt = clock.now();
  window.add(new CacheEvent({ revision, key: 'k', current: undefined, previous: undefined, recordedAt }));
}

const revisionsAfter = (window: EventWindow, revision: number) =>
  window.after(revision)?.map((event) => event.revision);

describe('the window of events', () => {
  test('CACHE-11 gives those after a revision', () => {
    const window = windowWith(new VirtualClock(), 8);
    expect(revisionsAfter(window, 5)).toEqual([6, 7, 8]);
    expect(revisionsAfter(window, 8)).toEqual([]);
    expect(revisionsAfter(window, 0)).toHaveLength(8);
  });

  test('CACHE-10 gives nothing if some of them are gone', () => {
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
