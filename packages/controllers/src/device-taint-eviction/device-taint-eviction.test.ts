import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
});
afterEach(() => cluster.stop());

test('a pod goes when its device gets a taint, after the time for which its claim tolerates that', async () => {
  const { client, clock } = cluster;
  const slices = client.resource(refs.resourceSlices);
  await client.resource(refs.deviceClasses).create({ metadata: { name: 'gpu' }, spec: {} });
  const slice = await slices.create({
    metadata: { name: 's' },
    spec: {
      driver: 'gpu.example.com',
      nodeName: 'coracle-node-1',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'a' }],
    },
  } as resourcev1.ResourceSlice);
  const tolerations = [{ key: 'broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
  await client.resource(refs.resourceClaims, 'default').create({
    metadata: { name: 'c' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', tolerations } }] } },
  });
  const pods = client.resource(refs.pods, 'default');
  await pods.create({
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'app', image: 'app' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }],
      terminationGracePeriodSeconds: 0,
    },
  } as Pod);
  await clock.advance('5s');
  expect((await pods.get('p')).status?.phase).toBe('Running');
  const devices = [{ name: 'a', taints: [{ key: 'broken', effect: 'NoExecute' }] }];
  await slices.update({ ...slice, spec: { ...slice.spec, devices } });
  await clock.advance('50s');
  expect((await pods.get('p')).metadata.deletionTimestamp).toBeUndefined();
  await clock.advance('20s');
  await expect(pods.get('p')).rejects.toSatisfy(isNotFound);
});
