import { expect, test } from 'vitest';
import { SharedTicks } from './shared-ticks.js';
import { VirtualClock } from './virtual-clock.js';

test('one timer ticks for all, from the first to the last', async () => {
  const clock = new VirtualClock({ startAt: 0 });
  const ticks = new SharedTicks(clock, 60);
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name} at ${clock.now()}`);
  const first = ticks.add(note('first'));
  await clock.advance(40);
  const second = ticks.add(note('second'));
  expect(clock.pending).toBe(1);
  await clock.advance(80);
  expect(seen).toEqual(['first at 60', 'second at 60', 'first at 120', 'second at 120']);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await clock.advance(60);
  expect(seen.slice(4)).toEqual(['second at 180']);
  second[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});

test('a listener that is removed during a tick is not called any more, and an added one waits for the next', async () => {
  const clock = new VirtualClock({ startAt: 0 });
  const ticks = new SharedTicks(clock, 10);
  const seen: string[] = [];
  ticks.add(() => {
    leaving[Symbol.dispose]();
    if (seen.push('first') === 1) ticks.add(() => seen.push('third'));
  });
  const leaving = ticks.add(() => seen.push('second'));
  await clock.advance(10);
  expect(seen).toEqual(['first']);
  await clock.advance(10);
  expect(seen).toEqual(['first', 'first', 'third']);
});
