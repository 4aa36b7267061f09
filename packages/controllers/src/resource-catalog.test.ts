import { refs } from '@coracle/api';
import { seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { ResourceCatalog } from './resource-catalog.js';

test('ResourceCatalog lists each resource once, in the preferred version, and reports when there are others', async () => {
  await using cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
  const { client, clock } = cluster;
  await using informers = createInformers({ client, clock, random: seededRandom(1), logger: silentLogger });
  await using catalog = new ResourceCatalog({ client, clock, informers });
  let notifications = 0;
  using _listener = catalog.onChange(() => notifications++);

  const { resources, failures } = await catalog.read();
  const autoscalers = resources.filter(({ resource }) => resource === 'horizontalpodautoscalers');
  expect(autoscalers.map(({ version }) => version)).toEqual(['v2']);
  expect(failures.size).toBe(0);
  expect(
    (await catalog.byKind({ group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' }))?.version,
  ).toBe('v1');

  await clock.advance('2m');
  expect(notifications).toBe(0);

  // The informers are not started, so only discovery shows the change, as with aggregated servers.
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  await client.resource(refs.customResourceDefinitions).create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await clock.advance('30s');
  expect(notifications).toBe(1);
  expect((await catalog.read()).resources.some(({ resource }) => resource === 'widgets')).toBe(true);
  await clock.advance('2m');
  expect(notifications).toBe(1);
});
