import { refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { longestGrace } from './delete-content.js';
import { type ContentReport, namespaceConditions } from './namespace-conditions.js';
import { nextLookIn } from './namespace-controller.js';

const clean: ContentReport = {
  discoveryFailures: [],
  deletionFailures: [],
  remaining: new Map(),
  finalizers: new Map(),
  estimateSeconds: 0,
};

describe('NS-7 conditions of a namespace that is being deleted', () => {
  const cases: { name: string; report: Partial<ContentReport>; type: string; status: string; message: string }[] = [
    {
      name: 'say that all is gone when it is',
      report: {},
      type: 'NamespaceContentRemaining',
      status: 'False',
      message: 'All content successfully removed',
    },
    {
      name: 'count what is left by resource, in order',
      report: {
        remaining: new Map([
          ['pods.', 2],
          ['deployments.apps', 1],
        ]),
      },
      type: 'NamespaceContentRemaining',
      status: 'True',
      message:
        'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    },
    {
      name: 'name the finalizers that hold things back',
      report: { finalizers: new Map([['example.com/wait', 3]]) },
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      message: 'Some content in the namespace has finalizers remaining: example.com/wait in 3 resource instances',
    },
    {
      name: 'tell what could not be deleted',
      report: { deletionFailures: ['no luck'] },
      type: 'NamespaceDeletionContentFailure',
      status: 'True',
      message: 'Failed to delete all resource types, 1 remaining: no luck',
    },
  ];

  test.each(cases)('$name', ({ report, type, status, message }) => {
    const conditions = namespaceConditions(undefined, { ...clean, ...report }, 0);

    expect(conditions).toHaveLength(5);
    expect(conditions.find((one) => one.type === type)).toMatchObject({ status, message });
  });
});

test('NS-4 the next sync comes soon, then later, and never after the expected end', () => {
  expect([nextLookIn(30, 0), nextLookIn(30, 4_000), nextLookIn(30, 600_000)]).toEqual([250, 2_000, 16_000]);
});

test('NS-8 pods that have ended need no more time', () => {
  const pod = (phase: string, terminationGracePeriodSeconds: number) => ({
    metadata: {},
    spec: { containers: [], terminationGracePeriodSeconds },
    status: { phase },
  });
  expect(longestGrace([pod('Running', 5), pod('Failed', 90), pod('Pending', 30)])).toBe(30);
});

describe('deleting a namespace', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
    await cluster.client.namespaces().create({ metadata: { name: 'a' } });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const exists = async () =>
    cluster.client
      .namespaces()
      .get('a')
      .then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      );

  test('NS-9 takes everything in it along, without time passing', async () => {
    await cluster.client.configMaps('a').create({ metadata: { name: 'c' } });
    await cluster.client.roles('a').create({ metadata: { name: 'r' } });
    await cluster.client.namespaces().delete('a');
    await cluster.settled();

    expect(await exists()).toBe(false);
    expect((await cluster.client.configMaps('a').list()).items).toEqual([]);
    expect((await cluster.client.roles('a').list()).items).toEqual([]);
    expect((await cluster.client.serviceAccounts('a').list()).items).toEqual([]);
  });

  test('NS-5e waits for finalizers, reports it in conditions, and is deleted when they are removed', async () => {
    const configMaps = cluster.client.configMaps('a');
    await configMaps.create({ metadata: { name: 'c', finalizers: ['example.com/wait'] } });
    await cluster.client.namespaces().delete('a');
    await cluster.settled();

    const { status } = await cluster.client.namespaces().get('a');
    expect(status?.phase).toBe('Terminating');
    expect(status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')?.message).toContain(
      'example.com/wait in 1 resource instances',
    );

    await configMaps.patch('c', { metadata: { finalizers: null } }, { type: 'merge' });
    await cluster.clock.advance('8s');
    expect(await exists()).toBe(false);
  });

  test('deletes nothing else while pods are left', async () => {
    const container = { name: 'c', image: 'i' };
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [container] } };
    await cluster.client.pods('a').create(pod);
    await cluster.client.configMaps('a').create({ metadata: { name: 'c' } });
    await cluster.client.namespaces().delete('a');
    await cluster.settled();
    expect((await cluster.client.configMaps('a').get('c')).metadata.deletionTimestamp).toBeUndefined();

    await cluster.client.resource(refs.pods, 'a').delete('p', { gracePeriodSeconds: 0 });
    await cluster.settled();
    expect(await exists()).toBe(false);
  });

  test('NS-5f keeps the finalizers of other controllers in the spec', async () => {
    const namespaces = cluster.client.namespaces();
    const created = await namespaces.create({ metadata: { name: 'b' }, spec: { finalizers: ['example.com/own'] } });
    expect(created.spec?.finalizers).toEqual(['example.com/own', 'kubernetes']);
    await namespaces.delete('b');
    await cluster.settled();

    const waiting = await namespaces.get('b');
    expect(waiting.spec?.finalizers).toEqual(['example.com/own']);
    await namespaces.updateSubresource('b', 'finalize', { ...waiting, spec: { finalizers: [] } });
    expect(await namespaces.get('b').catch(isNotFound)).toBe(true);
  });
});
