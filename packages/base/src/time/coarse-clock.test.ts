import { expect, test } from 'vitest';
import { CoarseClock } from './coarse-clock.js';
import { VirtualClock } from './virtual-clock.js';

function coarse() {
  const clock = new VirtualClock({ startAt: 0 });
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name} at ${clock.now()}`);
  return { clock, seen, note, coarse: new CoarseClock({ clock, grainMs: 100, fromMs: 500 }) };
}

test.each([
  { delayMs: 0, ranAt: 0 },
  { delayMs: 499, ranAt: 499 },
  { delayMs: 500, ranAt: 500 },
  { delayMs: 501, ranAt: 600 },
  { delayMs: 1_000, ranAt: 1_000 },
])('a delay of $delayMs ms ends after $ranAt ms', async ({ delayMs, ranAt }) => {
  const { clock, seen, note, coarse: own } = coarse();
  own.schedule(delayMs, note('task'));
  await clock.advance(2_000);
  expect(seen).toEqual([`task at ${ranAt}`]);
});

test('timers that are due in the same grain are one timer of the clock behind', async () => {
  const { clock, seen, note, coarse: own } = coarse();
  for (const [name, delayMs] of [
    ['a', 501],
    ['b', 550],
    ['c', 600],
  ] as const)
    own.schedule(delayMs, note(name));
  expect(clock.pending).toBe(1);
  await clock.advance(600);
  expect(seen).toEqual(['a at 600', 'b at 600', 'c at 600']);
});

test('a disposed timer does not run, also when an earlier one of its grain disposes it', async () => {
  const { clock, seen, note, coarse: own } = coarse();
  own.schedule(501, () => second[Symbol.dispose]());
  const second = own.schedule(502, note('second'));
  own.schedule(503, note('third'))[Symbol.dispose]();
  own.schedule(504, note('fourth'));
  await clock.advance(600);
  expect(seen).toEqual(['fourth at 600']);
});

test('no timer is left when all timers of a grain are disposed, and a new one of that grain runs', async () => {
  const { clock, seen, note, coarse: own } = coarse();
  const timers = [own.schedule(501, note('a')), own.schedule(502, note('b'))];
  for (const timer of timers) timer[Symbol.dispose]();
  expect(clock.pending).toBe(0);
  own.schedule(503, note('c'));
  await clock.advance(600);
  expect(seen).toEqual(['c at 600']);
  expect(clock.pending).toBe(0);
});

test('tasks scheduled by a task run in a later grain, and an error of one does not stop the others', () => {
  const scheduled: (() => void)[] = [];
  const inner = {
    now: () => 0,
    schedule: (_delayMs: number, run: () => void) => {
      scheduled.push(run);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const own = new CoarseClock({ clock: inner, grainMs: 100, fromMs: 500 });
  const seen: string[] = [];
  own.schedule(500, () => {
    own.schedule(500, () => void seen.push('again'));
    throw new Error('broken');
  });
  own.schedule(500, () => void seen.push('other'));
  expect(scheduled).toHaveLength(1);
  expect(() => scheduled[0]?.()).toThrow('broken');
  expect(seen).toEqual(['other']);
  expect(scheduled).toHaveLength(2);
});

test.each([-3_600_000, 3_600_000])('delays are the same when the time of day is set by %d ms', async (ms) => {
  const clock = new VirtualClock({ startAt: 0 });
  const coarse = new CoarseClock({ clock, grainMs: 1_000, fromMs: 1_000 });
  const ran: string[] = [];
  coarse.schedule(10_000, () => ran.push('before'));
  clock.setForward(ms);
  coarse.schedule(10_000, () => ran.push('after'));
  await clock.advance(10_000);
  expect(ran).toEqual(['before', 'after']);
});
