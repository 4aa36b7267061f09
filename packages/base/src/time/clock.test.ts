import { describe, expect, test } from 'vitest';
import { every, sleep } from './clock.js';
import { VirtualClock } from './virtual-clock.js';

describe('sleep', () => {
  test('resolves when the time is over', async () => {
    const clock = new VirtualClock();
    let awake = false;
    void sleep(clock, 100).then(() => (awake = true));
    await clock.advance(99);
    expect(awake).toBe(false);
    await clock.advance(1);
    expect(awake).toBe(true);
  });

  test('rejects with the reason of the signal, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const sleeping = sleep(clock, 100, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });

  test('does not start when the signal has aborted before', async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(clock.pending).toBe(0);
  });
});

describe('every', () => {
  test('runs once a period until it is disposed', async () => {
    const clock = new VirtualClock();
    const at: number[] = [];
    const start = clock.now();
    const timer = every(clock, 10, () => void at.push(clock.now() - start));
    await clock.advance(35);
    timer[Symbol.dispose]();
    await clock.advance(100);
    expect({ at, pending: clock.pending }).toEqual({ at: [10, 20, 30], pending: 0 });
  });

  test('can be disposed by its own task', async () => {
    const clock = new VirtualClock();
    let runs = 0;
    const timer = every(clock, 10, () => {
      runs++;
      timer[Symbol.dispose]();
    });
    await clock.advance(100);
    expect({ runs, pending: clock.pending }).toEqual({ runs: 1, pending: 0 });
  });

  test('continues after a task that throws', async () => {
    const clock = new VirtualClock();
    let runs = 0;
    const timer = every(clock, 10, () => {
      runs++;
      throw new Error('task');
    });
    await expect(clock.advance(10)).rejects.toThrow('task');
    await expect(clock.advance(10)).rejects.toThrow('task');
    timer[Symbol.dispose]();
    expect({ runs, pending: clock.pending }).toEqual({ runs: 2, pending: 0 });
  });
});
