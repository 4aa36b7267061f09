import { refs } from '@coracle/api';
import { silentLogger, VirtualClock } from '@coracle/base';
import { createInformers, createWorkQueue } from '@coracle/client';
import { bench, describe } from 'vitest';
import { addAndDrain } from './fixtures/drained-queue.js';
import { serverWithPods } from './fixtures/server-with-pods.js';

describe('work queue', () => {
  const keys = Array.from({ length: 1_000_000 }, (_, i) => `default/pod-${i}`);

  bench(
    'one million keys added and drained (under 2 s)',
    () => addAndDrain(createWorkQueue<string>({ clock: new VirtualClock() }), keys),
    { iterations: 3, warmupIterations: 0, time: 0 },
  );

  bench(
    'a hundred thousand keys delayed',
    () => {
      const queue = createWorkQueue<string>({ clock: new VirtualClock() });
      for (let i = 0; i < 100_000; i++) queue.addAfter(keys[i] as string, 1_000 + ((i * 7_919) % 100_000));
    },
    { iterations: 5, warmupIterations: 0, time: 0 },
  );
});

describe('informer in process', async () => {
  const { client, clock, random } = await serverWithPods(100_000);
  const informers = () => createInformers({ client, clock, random, logger: silentLogger });

  bench(
    'a hundred thousand pods synced (under 3 s)',
    async () => {
      await using factory = informers();
      factory.for(refs.pods).addHandler(() => {});
      factory.start();
      await factory.synced();
    },
    { iterations: 5, warmupIterations: 0, time: 0 },
  );

  let count = 0;
  const factory = informers();
  factory.for(refs.pods).addHandler(() => count++);
  factory.start();
  await factory.synced();
  let round = 0;

  bench('a patch, from the call to the handler among a hundred thousand pods (under 1 ms)', async () => {
    const before = count;
    const name = `pod-${round % 100_000}`;
    await client
      .pods(`ns-${round++ % 100}`)
      .patch(name, { metadata: { labels: { round: String(round) } } }, { type: 'merge' });
    if (count === before) await clock.settle();
    if (count === before) throw new Error('the handler was not called');
  });
});
