import { afterEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

test('ADM-11 a pod can be created right after its namespace', async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  const { client } = cluster;
  for (const name of ['a', 'b', 'c']) {
    await client.namespaces().create({ metadata: { name } });
    const pod = await client.pods(name).create({
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(pod.spec?.serviceAccountName).toBe('default');
  }
});
