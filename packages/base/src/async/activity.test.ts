import { expect, test } from 'vitest';
import { Activity } from './activity.js';

test('is busy until everything that was begun has ended, each once', () => {
  const activity = new Activity();
  const first = activity.begin();
  const second = activity.begin();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(activity.busy).toBe(true);
  second[Symbol.dispose]();
  expect(activity.busy).toBe(false);
});

test('work of a part counts for the whole, and not the other way round', () => {
  const whole = new Activity();
  const part = new Activity(whole);
  const ofTheWhole = whole.begin();
  expect([part.busy, whole.busy]).toEqual([false, true]);
  const ofThePart = part.begin();
  ofTheWhole[Symbol.dispose]();
  expect([part.busy, whole.busy]).toEqual([true, true]);
  ofThePart[Symbol.dispose]();
  expect([part.busy, whole.busy]).toEqual([false, false]);
});

test('resolves waiting callers when it becomes idle', async () => {
  const activity = new Activity();
  await activity.rest();
  const work = activity.begin();
  let rested = false;
  const waiting = activity.rest().then(() => {
    rested = true;
  });
  await Promise.resolve();
  expect(rested).toBe(false);
  work[Symbol.dispose]();
  await waiting;
  expect(rested).toBe(true);
});

test('work that is over when a call is counts as long as the call', async () => {
  const activity = new Activity();
  const seen: boolean[] = [];
  activity.during(() => seen.push(activity.busy));
  expect(() =>
    activity.during(() => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect([...seen, activity.busy]).toEqual([true, false]);
});
