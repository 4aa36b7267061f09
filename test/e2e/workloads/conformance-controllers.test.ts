import { type Deployment, type Pod, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const sample = { name: 'sample-pod' };
const container = (image: string) => ({ name: image.split(':')[0] ?? '', image });
const templateOf = (labels: Record<string, string>, image: string) => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [container(image)] },
});

/** The steps of upstream's conformance tests of deployments and replication controllers. */
describe('controllers of replicas as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  });
  afterEach(() => cluster.stop());

  const deployments = () => cluster.client.deployments('default');
  const replicaSets = () => cluster.client.replicaSets('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const deploy = async (name: string, image: string, more: object = {}) => {
    const spec = { replicas: 1, selector: { matchLabels: sample }, template: templateOf(sample, image), ...more };
    await deployments().create({ metadata: { name, labels: sample }, spec });
    await cluster.settled();
  };
  const setImage = async (name: string, image: string) => {
    const deployment = await deployments().get(name);
    const spec = { ...deployment.spec, template: templateOf(sample, image) };
    await deployments().update({ ...deployment, spec } as Deployment);
    await cluster.settled();
  };
  /** A replica set that a deployment with the labels of its pods will adopt. */
  const orphan = async (annotations: Record<string, string> = {}) => {
    const labels = { ...sample, pod: 'httpd' };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template: templateOf(labels, 'httpd:1') };
    await replicaSets().create({ metadata: { name: 'controller', labels, annotations }, spec });
    await cluster.settled();
  };
  const watchPods = async () => {
    const added: Pod[] = [];
    const { metadata } = await cluster.client.pods('default').list();
    cluster.client
      .pods('default')
      .openWatch(
        { resourceVersion: metadata.resourceVersion ?? '' },
        { event: (event) => void (event.type === 'ADDED' && added.push(event.object)), end: () => undefined },
      );
    return added;
  };

  test('RollingUpdateDeployment goes on from the revision of the replica set it adopts', async () => {
    const key = 'deployment.kubernetes.io/revision';
    await orphan({ [key]: '3546343826724305832' });
    await deploy('d', 'agnhost:1');
    await cluster.clock.advance('1m');
    expect((await deployments().get('d')).metadata.annotations?.[key]).toBe('3546343826724305833');
    const sets = (await replicaSets().list()).items;
    expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 1]);
  });

  test('a deployment without history deletes what it adopts, and makes one pod for it', async () => {
    await orphan();
    const added = await watchPods();
    await deploy('d', 'agnhost:1', { revisionHistoryLimit: 0 });
    await cluster.clock.advance('1m');
    expect((await replicaSets().list()).items.map(({ metadata }) => metadata.name)).not.toContain('controller');
    expect(added.map(({ spec }) => spec?.containers?.[0]?.name)).toEqual(['agnhost']);
  });

  test('RecreateDeployment never reports new pods beside old ones', async () => {
    await deploy('d', 'agnhost:1', { strategy: { type: 'Recreate' } });
    const seen: string[] = [];
    const { metadata } = await deployments().get('d');
    deployments().openWatch(
      { fieldSelector: 'metadata.name=d', resourceVersion: metadata.resourceVersion ?? '' },
      {
        event: (event) => {
          if (event.type === 'ERROR' || event.type === 'BOOKMARK') return;
          const { replicas = 0, updatedReplicas = 0, observedGeneration } = event.object.status ?? {};
          seen.push(`${replicas} ${updatedReplicas} ${observedGeneration}`);
        },
        end: () => undefined,
      },
    );
    await setImage('d', 'httpd:1');
    await cluster.clock.advance('1m');
    expect(seen.filter((one) => !/^(\d+) (0|\1) /.test(one))).toEqual([]);
    expect(seen.at(-1)).toBe('1 1 2');
  });

  test('deployment should support rollover', async () => {
    await orphan();
    await cluster.clock.advance('1m');
    const template = templateOf(sample, 'redis-slave:nonexistent');
    const stuck = { ...template.metadata, annotations: { 'simulation.coracle.dev/pull-error': 'not found' } };
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    const more = { minReadySeconds: 10, strategy: { rollingUpdate }, template: { ...template, metadata: stuck } };
    await deploy('d', '', more);
    const sizes = async () =>
      (await replicaSets().list()).items.map(({ spec, status }) => [
        spec?.template?.spec?.containers?.[0]?.name,
        spec?.replicas,
        status?.replicas,
      ]);
    expect(await sizes()).toEqual(
      expect.arrayContaining([
        ['httpd', 1, 1],
        ['redis-slave', 1, 1],
      ]),
    );
    await setImage('d', 'agnhost:1');
    await cluster.clock.advance('2m');
    expect(await sizes()).toEqual(
      expect.arrayContaining([
        ['httpd', 0, 0],
        ['redis-slave', 0, 0],
        ['agnhost', 1, 1],
      ]),
    );
    expect((await deployments().get('d')).metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '2',
    });
  });

  test('deployment should support proportional scaling', async () => {
    const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await deploy('d', 'httpd:1', { replicas: 10, strategy });
    const annotations = { 'simulation.coracle.dev/pull-error': 'not found' };
    const template = { metadata: { annotations }, spec: { containers: [container('httpd:404')] } };
    await deployments().patch('d', { spec: { template } }, { type: 'strategic' });
    await cluster.clock.advance('10s');
    const sizes = async () => (await replicaSets().list()).items.map(({ spec }) => spec?.replicas).sort();
    expect(await sizes()).toEqual([5, 8]);
    await deployments().patch('d', { spec: { replicas: 30 } }, { type: 'merge' });
    await cluster.clock.advance('10s');
    expect(await sizes()).toEqual([13, 20]);
  });

  test('should run the lifecycle of a Deployment: an update without version, uid and namespace', async () => {
    await deploy('d', 'agnhost:1', { replicas: 2 });
    const spec = { replicas: 2, selector: { matchLabels: sample }, template: templateOf(sample, 'httpd:1') };
    const metadata = { name: 'd', labels: { ...sample, 'test-deployment': 'updated' }, creationTimestamp: null };
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status: {} };
    const path = '/apis/apps/v1/namespaces/default/deployments/d';
    expect(await cluster.client.raw('PUT', path, { body })).toMatchObject({ status: 200 });
    await cluster.clock.advance('1m');
    const labels = { 'test-deployment': 'patched-status' };
    const patch = { metadata: { labels }, status: { readyReplicas: 0, availableReplicas: 0 } };
    await deployments().patch('d', patch, { type: 'strategic', subresource: 'status' });
    await cluster.settled();
    expect(await deployments().get('d')).toMatchObject({
      metadata: { labels: { 'test-deployment': 'updated' } },
      status: { readyReplicas: 2, updatedReplicas: 2 },
    });
  });

  test('should test the lifecycle of a ReplicationController', async () => {
    const client = cluster.client.resource(refs.replicationControllers, 'default');
    const types: string[] = [];
    client.openWatch({}, { event: ({ type }) => void types.push(type), end: () => undefined });
    const spec = { replicas: 1, selector: sample, template: templateOf(sample, 'nginx:1') };
    await client.create({ metadata: { name: 'rc', labels: sample }, spec });
    await cluster.settled();
    // As Go writes a ReplicationController that has only labels.
    const empty = { metadata: { labels: { 'test-rc': 'patched' } }, spec: {}, status: { replicas: 0 } };
    expect(await client.patch('rc', empty, { type: 'strategic' })).toMatchObject({ spec: { replicas: 1 } });
    const none = { status: { readyReplicas: 0, availableReplicas: 0 } };
    const patched = await client.patch('rc', none, { type: 'strategic', subresource: 'status' });
    expect(patched.status?.readyReplicas ?? 0).toBe(0);
    await cluster.settled();
    expect((await client.get('rc')).status?.readyReplicas).toBe(1);
    const scale = { metadata: {}, spec: { replicas: 2 }, status: { replicas: 0 } };
    await client.patch('rc', scale, { type: 'strategic', subresource: 'scale' });
    await cluster.clock.advance('10s');
    const current = await client.get('rc');
    expect(current).toMatchObject({
      status: { replicas: 2, readyReplicas: 2 },
      metadata: { labels: { 'test-rc': 'patched' } },
    });
    await client.updateStatus({ ...current, status: { replicas: 2, availableReplicas: 1, readyReplicas: 1 } });
    await cluster.settled();
    await client.deleteCollection({ labelSelector: 'name=sample-pod' });
    await cluster.settled();
    expect([types[0], types.at(-1), types.filter((type) => type === 'MODIFIED').length >= 4]).toEqual([
      'ADDED',
      'DELETED',
      true,
    ]);
    expect(await pods()).toHaveLength(2);
  });
});
