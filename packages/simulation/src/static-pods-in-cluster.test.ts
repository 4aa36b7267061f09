import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

test('K11.1 the API takes the mirrors that nodes make, under all its rules, and keeps them while the pod runs', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  const { nodes } = cluster;
  const containers = [{ name: 'proxy', image: 'proxy' }];
  nodes.setManifests('coracle-node-1', [
    { metadata: { name: 'proxy', namespace: 'kube-system' }, spec: { containers } },
  ]);
  await cluster.clock.advance('5m');
  const pods = cluster.client.pods('kube-system');
  const { status, spec, metadata } = await pods.get('proxy-coracle-node-1');
  expect(status?.phase).toBe('Running');
  // It refers to no API objects.
  expect(spec?.serviceAccountName).toBeUndefined();
  expect(spec?.volumes).toBeUndefined();
  await pods.delete('proxy-coracle-node-1');
  await cluster.clock.advance('1m');
  const again = await pods.get('proxy-coracle-node-1');
  expect(again.metadata.uid).not.toBe(metadata.uid);
  expect(again.status?.containerStatuses?.[0]?.restartCount).toBe(0);
});
