import { type Namespace, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The steps of upstream's tests "Namespaces" and "OrderedNamespaceDeletion". */
describe('namespaces as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  async function create(name: string): Promise<Namespace> {
    const namespace = await cluster.client.namespaces().create({ metadata: { name } });
    await cluster.settled();
    return namespace;
  }
  const get = (name: string) => cluster.client.namespaces().get(name);
  const isGone = (get: Promise<unknown>) => expect(get).rejects.toMatchObject({ status: { code: 404 } });
  /** Go writes times that are not set as `null`. */
  const condition = (type: string) => ({
    type,
    status: 'True',
    lastTransitionTime: null,
    reason: 'E2E',
    message: type,
  });

  async function send(method: string, path: string, body: object): Promise<Namespace> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await cluster.client.raw(method, `/api/v1/namespaces/${path}`, { body, contentType });
    expect(answer.status).toBe(200);
    return answer.body as Namespace;
  }
  const typesOf = ({ status }: Namespace) => status?.conditions?.map(({ type }) => type);

  test('should patch a Namespace, and apply an update to it', async () => {
    const { metadata } = await create('patched');
    const patched = await cluster.client
      .namespaces()
      .patch('patched', { metadata: { labels: { testLabel: 'testValue' } } }, { type: 'strategic' });
    expect(Number(patched.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    const labels = { ...patched.metadata.labels, updated: 'true' };
    await cluster.client.namespaces().update({ ...patched, metadata: { ...patched.metadata, labels } });
    expect((await get('patched')).metadata.labels).toMatchObject({ testLabel: 'testValue', updated: 'true' });
  });

  test('should apply changes to a namespace status', async () => {
    await create('status');
    expect((await get('status')).status?.phase).toBe('Active');
    const annotations = { 'e2e-patched-ns-status': 'status' };
    const status = { conditions: [condition('StatusPatch')] };
    const patched = await send('PATCH', 'status/status', { metadata: { annotations }, status });
    expect([patched.metadata.annotations, typesOf(patched)]).toEqual([annotations, ['StatusPatch']]);
    const conditions = [...(patched.status?.conditions ?? []), condition('StatusUpdate')];
    const updated = await send('PUT', 'status/status', { ...patched, status: { ...patched.status, conditions } });
    expect(typesOf(updated)).toEqual(['StatusPatch', 'StatusUpdate']);
  });

  test('should apply a finalizer to a Namespace', async () => {
    const made = await create('finalized');
    const finalizers = [...(made.spec?.finalizers ?? []), 'e2e.example.com/fakeFinalizer'];
    const added = await send('PUT', 'finalized/finalize', { ...made, spec: { finalizers } });
    expect(added.spec?.finalizers).toEqual(finalizers);
    const removed = await send('PUT', 'finalized/finalize', { ...added, spec: { finalizers: ['kubernetes'] } });
    expect(removed.spec?.finalizers).toEqual(['kubernetes']);
  });

  test('should ensure that all pods and services are removed when a namespace is deleted', async () => {
    await create('removed');
    const pods = cluster.client.pods('removed');
    await pods.create({ metadata: { name: 'test-pod' }, spec: { containers: [{ name: 'nginx', image: 'pause' }] } });
    const ports = [{ port: 80, targetPort: 80 }];
    await cluster.client.services('removed').create({ metadata: { name: 'test-service' }, spec: { ports } });
    await cluster.settled();
    expect((await pods.get('test-pod')).status?.phase).toBe('Running');
    await cluster.client.namespaces().delete('removed');
    await cluster.clock.advance('1m');
    await isGone(get('removed'));
    await create('removed');
    await isGone(pods.get('test-pod'));
    await isGone(cluster.client.services('removed').get('test-service'));
  });

  test('namespace deletion should delete pod first', async () => {
    await create('ordered');
    const pods = cluster.client.pods('ordered');
    const metadata = { name: 'test-pod', finalizers: ['e2e.example.com/finalizer'] };
    await pods.create({ metadata, spec: { containers: [{ name: 'nginx', image: 'pause' }] } });
    const configMaps = cluster.client.resource(refs.configMaps, 'ordered');
    await configMaps.create({ metadata: { name: 'test-configmap' }, data: { key: 'value' } });
    await cluster.settled();
    await cluster.client.namespaces().delete('ordered');
    await cluster.clock.advance('1m');
    const left = await get('ordered');
    expect([left.status?.phase, typesOf(left)]).toEqual([
      'Terminating',
      expect.arrayContaining(['NamespaceDeletionContentFailure']),
    ]);
    expect((await configMaps.get('test-configmap')).data).toEqual({ key: 'value' });
    const pod = await pods.get('test-pod');
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    await pods.update({ ...pod, metadata: { ...pod.metadata, finalizers: [] } });
    await cluster.clock.advance('1m');
    await isGone(pods.get('test-pod'));
    await isGone(get('ordered'));
  });
});
