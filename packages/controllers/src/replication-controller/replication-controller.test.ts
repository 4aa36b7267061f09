import type { Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

describe('replication controllers', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const controllers = () => cluster.client.replicationControllers('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;

  test('RS-1 keep spec.replicas pods', async () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await controllers().create({ metadata: { name: 'web' }, spec: { replicas: 2, template } });
    await cluster.settled();
    expect(await pods()).toHaveLength(2);
    expect((await pods())[0]?.metadata.ownerReferences).toMatchObject([
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'web', controller: true },
    ]);
    expect((await controllers().get('web')).status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });

    await controllers().patch('web', { spec: { replicas: 1 } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect(await pods()).toHaveLength(1);
  });
});
