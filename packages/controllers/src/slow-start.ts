/**
 * Calls a function `count` times in batches of 1, 2, 4, 8 …, and stops after the first batch with a failure, so that an
 * exhausted quota does not cause hundreds of failing requests. Returns the number of successes, and the first error.
 */
export async function slowStart(
  count: number,
  act: (index: number) => Promise<void>,
): Promise<{ readonly done: number; readonly error?: unknown }> {
  let done = 0;
  let started = 0;
  for (let size = 1; started < count; size *= 2) {
    const batch = Math.min(size, count - started);
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, index) => act(started + index)));
    started += batch;
    done += results.filter(({ status }) => status === 'fulfilled').length;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) return { done, error: failure.reason };
  }
  return { done };
}
