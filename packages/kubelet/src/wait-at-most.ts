import { type Clock, type Millis, sleep } from '@coracle/base';

/** Resolves when `work` has ended, or after so long. */
export async function waitAtMost(clock: Clock, mostMs: Millis, work: Promise<unknown>): Promise<void> {
  if (mostMs <= 0) return;
  const aborter = new AbortController();
  await Promise.race([work, sleep(clock, mostMs, aborter.signal).catch(() => undefined)]);
  aborter.abort();
}
