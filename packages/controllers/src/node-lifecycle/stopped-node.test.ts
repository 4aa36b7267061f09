import { refs } from '@coracle/api';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

test('the pods of a simulated node that fails are replaced elsewhere, after more than five minutes', async () => {
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
  try {
    const { client, clock, nodes } = cluster;
    await cluster.settled();
    const labels = { app: 'web' };
    await client.resource(refs.deployments, 'default').create({
      metadata: { name: 'web' },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'web:1' }] } },
      },
    });
    await clock.advance('30s');
    const [dead = '', alive = ''] = nodes.names;
    const running = async () => {
      const { items } = await client.resource(refs.pods, 'default').list();
      return items
        .filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running')
        .map(({ spec }) => spec?.nodeName);
    };
    expect(new Set(await running())).toEqual(new Set([dead, alive]));

    await nodes.stopNode(dead);
    await clock.advance('5m');
    expect(new Set(await running())).toEqual(new Set([dead, alive]));
    await clock.advance('90s');
    expect(await running()).toEqual([alive, alive, alive, alive]);
  } finally {
    await cluster.stop();
  }
});
