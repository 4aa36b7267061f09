import { describe, expect, test } from 'vitest';
import { longestTimerMs, timerClock } from './timer-clock.js';

/** Timers that record how they are set, and fire when the test triggers them. */
function fakeTimers() {
  const delays: number[] = [];
  const waiting = new Map<number, () => void>();
  const clock = timerClock<number>({
    now: () => 42,
    set: (task, delayMs) => {
      const id = delays.push(delayMs);
      waiting.set(id, task);
      return id;
    },
    clear: (id) => void waiting.delete(id),
  });
  const fire = () => {
    const [next] = waiting;
    if (!next) return false;
    waiting.delete(next[0]);
    next[1]();
    return true;
  };
  return { clock, delays, fire };
}

describe('a clock on the timers of a platform', () => {
  test.each([
    { name: 'waits once for what a timer can hold', delayMs: 5_000, steps: [5_000] },
    { name: 'waits once for the longest that a timer can hold', delayMs: longestTimerMs, steps: [longestTimerMs] },
    { name: 'waits in steps for more', delayMs: 2 * longestTimerMs + 7, steps: [longestTimerMs, longestTimerMs, 7] },
    { name: 'does not wait for what is past', delayMs: -5, steps: [0] },
  ])('$name', ({ delayMs, steps }) => {
    const { clock, delays, fire } = fakeTimers();
    let runs = 0;
    clock.schedule(delayMs, () => void runs++);
    for (const _ of steps) {
      expect(runs).toBe(0);
      fire();
    }
    expect({ runs, delays }).toEqual({ runs: 1, delays: steps });
  });

  test.each([
    { name: 'before its first step', fired: 0 },
    { name: 'between two steps', fired: 1 },
  ])('drops a task that is disposed $name', ({ fired }) => {
    const { clock, fire } = fakeTimers();
    let runs = 0;
    const timer = clock.schedule(2 * longestTimerMs, () => void runs++);
    for (let i = 0; i < fired; i++) fire();
    timer[Symbol.dispose]();
    expect({ more: fire(), runs }).toEqual({ more: false, runs: 0 });
  });

  test('reports the time of the platform', () => {
    expect(fakeTimers().clock.now()).toBe(42);
  });
});
