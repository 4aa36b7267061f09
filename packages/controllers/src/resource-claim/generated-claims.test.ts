import { type Pod, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, expect, test } from 'vitest';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

test('one claim is created for each pod of a template, in any order of events', async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
  const { client, clock } = cluster;
  const requests = [{ name: 'one', exactly: { deviceClassName: 'none' } }];
  await client
    .resource(refs.resourceClaimTemplates, 'default')
    .create({ metadata: { name: 't' }, spec: { spec: { devices: { requests } } } });
  const createPod = (name: string) =>
    client.pods('default').create({
      metadata: { name },
      spec: {
        containers: [{ name: 'app', image: 'app' }],
        resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }],
      },
    } as Pod);
  // The first pod is as old as the controller, the others are younger.
  await createPod('old');
  await clock.advance('1m');
  for (let index = 0; index < 5; index++) await createPod(`young-${index}`);
  await clock.advance('1m');
  const { items } = await client.resource(refs.resourceClaims, 'default').list();
  const owners = items.map(({ metadata }) => metadata.ownerReferences?.[0]?.name).sort();
  expect(owners).toEqual(['old', ...[0, 1, 2, 3, 4].map((index) => `young-${index}`)]);
  const pods = (await client.pods('default').list()).items;
  expect(pods.map(({ status }) => status?.resourceClaimStatuses?.length)).toEqual(pods.map(() => 1));
});
