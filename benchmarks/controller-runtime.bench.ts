import { refs } from '@coracle/api';
import { startCluster } from '@coracle/cluster';
import { createManager, newController } from '@coracle/controller-runtime';
import { bench, describe } from 'vitest';

const count = 10_000;

describe('controller', async () => {
  const components = { controllers: false, scheduler: false };
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components });
  const { client, clock, activity } = cluster;
  for (let i = 0; i < count; i++)
    await client.configMaps('default').create({ metadata: { name: `map-${i}` }, data: { i: String(i) } });

  bench(
    'ten thousand objects listed, queued and reconciled, each read from the cache',
    async () => {
      let seen = 0;
      const manager = createManager({ client, clock, activity, random: { next: () => 0.5 } });
      newController(manager)
        .for(refs.configMaps)
        .complete(async ({ namespace, name }) => {
          await manager.client.configMaps(namespace).get(name);
          seen++;
        });
      void manager.start();
      await cluster.settled();
      await manager.stop();
      if (seen < count) throw new Error(`only ${seen} were reconciled`);
    },
    { iterations: 5, warmupIterations: 0, time: 0 },
  );
});
