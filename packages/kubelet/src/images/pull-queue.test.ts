import { Deferred, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { defaultSettings } from '../settings.js';
import { PullQueue } from './pull-queue.js';

/** A queue, and the active pulls, each of which the test ends. */
function queueWith(settings: Partial<ConstructorParameters<typeof PullQueue>[1]>) {
  const clock = new VirtualClock();
  const queue = new PullQueue(clock, { ...defaultSettings, ...settings });
  const begun: string[] = [];
  const ends = new Map<string, Deferred<void>>();
  const pull = (image: string) =>
    queue
      .run(() => {
        begun.push(image);
        const end = new Deferred<void>();
        ends.set(image, end);
        return end.promise;
      })
      .catch((error: Error) => error.message);
  const end = async (image: string) => {
    ends.get(image)?.resolve();
    await clock.settle();
  };
  return { clock, queue, begun, pull, end };
}

test('images are pulled one at a time, in the order of the requests', async () => {
  const { begun, pull, end } = queueWith({});
  for (const image of ['a', 'b', 'c']) void pull(image);
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
});

test.each([
  [2, ['a', 'b']],
  [Number.POSITIVE_INFINITY, ['a', 'b', 'c']],
])('%s images are pulled in parallel if configured', async (maxParallelImagePulls, first) => {
  const { begun, pull, end } = queueWith({ maxParallelImagePulls });
  for (const image of ['a', 'b', 'c']) void pull(image);
  expect(begun).toEqual(first);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c']);
});

const quick = async (queue: PullQueue) => queue.run(async () => 'pulled').catch((error: Error) => error.message);

test('a burst of ten pulls, then five per second; others fail', async () => {
  const { clock, queue } = queueWith({});
  const answers = async (count: number) => {
    const all: string[] = [];
    for (let one = 0; one < count; one++) all.push(await quick(queue));
    return all.join(' ');
  };
  expect(await answers(11)).toBe(`${'pulled '.repeat(10)}pull QPS exceeded`);
  await clock.advance(1_000);
  expect(await answers(6)).toBe(`${'pulled '.repeat(5)}pull QPS exceeded`);
});

test('a rejected pull frees its slot for the next one', async () => {
  const { clock, begun, pull, end } = queueWith({ registryPullQPS: 1, registryBurst: 1 });
  void pull('a');
  const second = pull('b');
  await end('a');
  expect(await second).toBe('pull QPS exceeded');
  await clock.advance(1_000);
  void pull('c');
  expect(begun).toEqual(['a', 'c']);
});

test('without a rate any number of pulls may begin', async () => {
  const { queue } = queueWith({ registryPullQPS: 0 });
  for (let one = 0; one < 100; one++) expect(await quick(queue)).toBe('pulled');
});
