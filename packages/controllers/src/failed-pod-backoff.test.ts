import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { FailedPodBackoff } from './failed-pod-backoff.js';

test('the first failure is replaced at once, each further one later', async () => {
  const clock = new VirtualClock();
  const backoff = new FailedPodBackoff(clock, 15 * 60_000);
  expect(backoff.next('a')).toBe(0);
  expect(backoff.next('a')).toBe(1000);
  await clock.advance(1000);
  expect(backoff.next('a')).toBe(0);
  expect(backoff.next('a')).toBe(2000);
  expect(backoff.next('b')).toBe(0);
  backoff.forget('a');
  expect(backoff.next('a')).toBe(0);
});

test('it starts over after a long time without failures', async () => {
  const clock = new VirtualClock();
  const backoff = new FailedPodBackoff(clock, 15 * 60_000);
  backoff.next('a');
  await clock.advance(1000);
  backoff.next('a');
  await clock.advance(31 * 60_000);
  expect(backoff.next('a')).toBe(0);
  expect(backoff.next('a')).toBe(1000);
});
