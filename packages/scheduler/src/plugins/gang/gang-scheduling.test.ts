import { type Pod, refs, type schedulingv1alpha2 } from '@coracle/api';
import { type Cluster, FeatureGates, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 1,
    runtimeConfig: { 'scheduling.k8s.io/v1alpha2': true },
    features: new FeatureGates({ GenericWorkload: true }),
  });
});
afterEach(() => cluster.stop());

async function addGroup(name: string, minCount: number): Promise<void> {
  const spec = { schedulingPolicy: { gang: { minCount } } };
  await cluster.client
    .resource(refs.podGroups, 'default')
    .create({ metadata: { name }, spec } as schedulingv1alpha2.PodGroup);
}

async function addPods(group: string, count: number, cpu = '100m'): Promise<void> {
  for (let index = 0; index < count; index++)
    await cluster.client.pods('default').create({
      metadata: { generateName: `${group}-` },
      spec: {
        containers: [{ name: 'app', image: 'app', resources: { requests: { cpu } } }],
        schedulingGroup: { podGroupName: group },
      },
    } as Pod);
  await cluster.clock.advance('20s');
}

async function placed(group: string): Promise<number> {
  const { items } = await cluster.client.pods('default').list();
  return items.filter(({ metadata, spec }) => metadata.generateName === `${group}-` && spec?.nodeName).length;
}

test('pods of a gang wait until there are enough of them, and are bound together', async () => {
  await addGroup('three', 3);
  await addPods('three', 2);
  expect(await placed('three')).toBe(0);
  await addPods('three', 1);
  expect(await placed('three')).toBe(3);
  // Pods beyond the minimum are scheduled when they are created.
  await addPods('three', 1);
  expect(await placed('three')).toBe(4);
});

test('pods wait for their group', async () => {
  await addPods('late', 1);
  expect(await placed('late')).toBe(0);
  await addGroup('late', 1);
  await cluster.clock.advance('20s');
  expect(await placed('late')).toBe(1);
});

test('a gang that does not fit takes no resources from others', async () => {
  const node = (await cluster.client.nodes().list()).items[0];
  const cpu = Number(node?.status?.allocatable?.cpu);
  await addGroup('large', 3);
  await addPods('large', 3, String(Math.floor(cpu / 2)));
  expect(await placed('large')).toBe(0);
  await addGroup('small', 2);
  await addPods('small', 2, String(Math.floor(cpu / 2)));
  expect(await placed('small')).toBe(2);
});
