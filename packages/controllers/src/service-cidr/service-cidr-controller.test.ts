import { refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
});
afterEach(() => cluster.stop());

const ranges = () => cluster.client.resource(refs.serviceCIDRs);
const services = () => cluster.client.resource(refs.services, 'default');

test('a new range is ready and guarded, and services get addresses from it', async () => {
  await ranges().create({ metadata: { name: 'more' }, spec: { cidrs: ['172.30.0.0/24'] } });
  await cluster.settled();
  const range = await ranges().get('more');
  expect(range.metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer']);
  expect(range.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  const service = await services().create({
    metadata: { name: 's' },
    spec: { clusterIP: '172.30.0.9', ports: [{ port: 80 }] },
  });
  expect(service.spec?.clusterIPs).toEqual(['172.30.0.9']);
});

test('a range whose addresses are in use stays until they are not', async () => {
  await ranges().create({ metadata: { name: 'more' }, spec: { cidrs: ['172.30.0.0/24'] } });
  await services().create({ metadata: { name: 's' }, spec: { clusterIP: '172.30.0.9', ports: [{ port: 80 }] } });
  await cluster.settled();
  await ranges().delete('more');
  await cluster.clock.advance('1m');
  expect((await ranges().get('more')).status?.conditions).toMatchObject([{ status: 'False', reason: 'Terminating' }]);
  await services().delete('s');
  await cluster.clock.advance('1m');
  expect(await ranges().get('more').catch(isNotFound)).toBe(true);
});
