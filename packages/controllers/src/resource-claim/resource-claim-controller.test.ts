import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planResourceClaim } from './plan-claim.js';

describe('what a claim is still needed for', () => {
  const consumer = (uid: string) => ({ resource: 'pods', name: uid, uid });
  const allocated = (...uids: string[]): resourcev1.ResourceClaim => ({
    metadata: { name: 'c', finalizers: ['resource.kubernetes.io/delete-protection'] },
    spec: {},
    status: { allocation: {}, reservedFor: uids.map(consumer) },
  });
  const isGone = ({ uid }: { uid: string }) => uid === 'gone';

  test.each([
    ['a pod holds it', allocated('here'), false, { kind: 'nothing' }],
    [
      'one of two holds it',
      allocated('here', 'gone'),
      false,
      { kind: 'release', reservedFor: [consumer('here')], deallocates: false, deletes: false },
    ],
    [
      'no pod reserves it any more',
      allocated('gone'),
      false,
      { kind: 'release', reservedFor: [], deallocates: true, deletes: false },
    ],
    [
      'it was made for a pod that is done',
      allocated('gone'),
      true,
      { kind: 'release', reservedFor: [], deallocates: true, deletes: true },
    ],
    ['it was allocated and not reserved yet', allocated(), false, { kind: 'nothing' }],
  ])('%s', (_name, claim, isOwnerDone, plan) => {
    expect(planResourceClaim({ claim, isGone, isOwnerDone })).toEqual(plan);
  });
});

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  });
  afterEach(() => cluster.stop());
  const claims = () => cluster.client.resource(refs.resourceClaims, 'default');
  const pods = () => cluster.client.resource(refs.pods, 'default');
  const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu.example.com' } }];
  const user: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'user' },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      resourceClaims: [{ name: 'dev', resourceClaimTemplateName: 't' }],
    },
  };

  async function createTemplate(): Promise<void> {
    await cluster.client.resource(refs.resourceClaimTemplates, 'default').create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 't' },
      spec: { metadata: { labels: { l: 'm' } }, spec: { devices: { requests } } },
    });
    await cluster.settled();
  }

  test('a pod gets the claim of its template, when there is one, and its name in the status', async () => {
    await pods().create(user);
    await cluster.settled();
    const events = await cluster.client.resource(refs.events, 'default').list();
    expect(events.items.map(({ message }) => message)).toContain(
      'PodResourceClaim dev: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found',
    );
    await createTemplate();
    const { items } = await claims().list();
    expect(items).toMatchObject([
      {
        metadata: {
          generateName: 'user-dev-',
          labels: { l: 'm' },
          annotations: { 'resource.kubernetes.io/pod-claim-name': 'dev' },
        },
      },
    ]);
    const { status } = await pods().get('user');
    expect(status?.resourceClaimStatuses).toEqual([{ name: 'dev', resourceClaimName: items[0]?.metadata.name }]);
  });

  test('the name of a claim keeps a part of the reference if the name of the pod is long', async () => {
    await createTemplate();
    await pods().create({ ...user, metadata: { name: 'p'.repeat(60) } });
    await cluster.settled();
    const [claim] = (await claims().list()).items;
    expect(claim?.metadata.name).toMatch(/^p{52}-de[a-z0-9]{5}$/);
  });

  test('the claim is deleted when its pod has ended', async () => {
    await createTemplate();
    await pods().create(user);
    await cluster.settled();
    const pod = await pods().get('user');
    await pods().updateStatus({ ...pod, status: { ...pod.status, phase: 'Succeeded' } });
    await cluster.settled();
    expect((await claims().list()).items).toEqual([]);
  });

  test('reservations of deleted pods are removed from a shared claim, and its devices deallocated', async () => {
    const made = await claims().create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'shared', finalizers: ['resource.kubernetes.io/delete-protection'] },
      spec: { devices: { requests } },
    });
    const reservedFor = [{ resource: 'pods', name: 'nobody', uid: 'u' }];
    const device = { driver: 'd.example.com', pool: 'p', device: 'x' };
    await claims().updateStatus({
      ...made,
      status: { allocation: { devices: { results: [{ request: 'r', ...device }] } }, devices: [device], reservedFor },
    });
    await cluster.settled();
    const { status, metadata } = await claims().get('shared');
    expect(status ?? {}).toEqual({});
    expect(metadata.finalizers ?? []).toEqual([]);
  });
});
