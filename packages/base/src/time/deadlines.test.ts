import { expect, test } from 'vitest';
import { Deadlines } from './deadlines.js';
import { VirtualClock } from './virtual-clock.js';

test('a deadline that is not met expires, each at its own time', async () => {
  const clock = new VirtualClock({ startAt: 0 });
  const deadlines = new Deadlines(clock, 100);
  const expired: string[] = [];
  const begin = (name: string) => deadlines.begin(() => expired.push(`${name} at ${clock.now()}`));
  const first = begin('first');
  await clock.advance(30);
  const second = begin('second');
  const third = begin('third');
  deadlines.end(second);
  await clock.advance(70);
  deadlines.end(first);
  await clock.advance(30);
  begin('fourth');
  await clock.advance(1_000);
  expect(expired).toEqual(['first at 100', 'third at 130', 'fourth at 230']);
  deadlines.end(third);
});

test('an expired deadline may start a new one', async () => {
  const clock = new VirtualClock({ startAt: 0 });
  const deadlines = new Deadlines(clock, 100);
  const expired: number[] = [];
  const begin = () => {
    const deadline = deadlines.begin(() => {
      deadlines.end(deadline);
      expired.push(clock.now());
      begin();
    });
  };
  begin();
  await clock.advance(350);
  expect({ expired, timers: clock.pending }).toEqual({ expired: [100, 200, 300], timers: 1 });
});

test('no timer is left when all have ended', () => {
  let timers = 0;
  const schedule = () => {
    timers++;
    return { [Symbol.dispose]: () => void timers-- };
  };
  const deadlines = new Deadlines({ now: () => 0, schedule }, 100);
  const [a, b] = [deadlines.begin(() => {}), deadlines.begin(() => {})];
  expect(timers).toBe(1);
  deadlines.end(b);
  expect(timers).toBe(1);
  deadlines.end(a);
  expect(timers).toBe(0);
});

test.each([-3_600_000, 3_600_000])(
  'a deadline is as far away as before when the time of day is set by %d ms',
  async (ms) => {
    const clock = new VirtualClock({ startAt: 0 });
    const deadlines = new Deadlines(clock, 100);
    const expired: string[] = [];
    deadlines.begin(() => expired.push('first'));
    await clock.advance(30);
    deadlines.begin(() => expired.push('second'));
    clock.setForward(ms);
    await clock.advance(70);
    expect(expired).toEqual(['first']);
    await clock.advance(30);
    expect(expired).toEqual(['first', 'second']);
  },
);
