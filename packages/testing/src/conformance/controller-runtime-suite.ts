import { refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { waitForObject } from '@coracle/client';
import {
  createManager,
  createOrUpdate,
  defineResource,
  type Manager,
  newController,
  reconcileObject,
  runFinalizers,
  s,
  setControllerReference,
  writeStatus,
} from '@coracle/controller-runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientHarness, suiteTimeoutMs } from './client-harness.js';

const finalizer = 'coracle.example.org/suite';

/** The PodCount of the inventory, in a group that no other run uses. */
function podCounts(group: string) {
  return defineResource({
    group,
    version: 'v1',
    kind: 'PodCount',
    spec: s.object({ count: s.integer().max(10) }),
    status: s.object({ count: s.integer().optional() }),
  });
}
type PodCounts = ReturnType<typeof podCounts>;

/**
 * The contract of the controller runtime with any Kubernetes API server, with or without controllers: nothing here
 * waits for garbage collection or for pods.
 */
export function describeControllerRuntime(name: string, connect: () => Promise<ClientHarness>): void {
  describe(`the controller runtime, ${name}`, { timeout: suiteTimeoutMs }, () => {
    let harness: ClientHarness;
    let PodCount: PodCounts;
    let manager: Manager;
    const released: string[] = [];
    const objects = () => harness.client.resource(PodCount, harness.namespace);

    beforeAll(async () => {
      harness = await connect();
      PodCount = podCounts(`${harness.namespace}.example.org`);
      await serve(PodCount, harness);
      manager = managerOf(harness);
      addController(manager, { PodCount, released });
      void manager.start();
      await harness.passing(manager.elected);
    }, suiteTimeoutMs);
    afterAll(async () => {
      await objects().deleteCollection();
      await harness.eventually(async () => (await objects().list()).items.length === 0);
      await harness.passing(manager.stop());
      await harness.client.customResourceDefinitions().delete(PodCount.crd.metadata.name ?? '');
      await harness[Symbol.asyncDispose]();
    }, suiteTimeoutMs);

    test('KB-12 a number is copied from spec to status, without a new generation', async () => {
      const made = await objects().create(PodCount.make({ metadata: { name: 'sample' }, spec: { count: 3 } }));
      await harness.eventually(async () => (await objects().get('sample')).status?.count === 3);
      const reported = await objects().get('sample');
      expect(reported.metadata.generation).toBe(1);
      expect(reported.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      await objects().patch('sample', { spec: { count: 5 } }, { type: 'merge' });
      await harness.eventually(async () => (await objects().get('sample')).status?.count === 5);
      expect((await objects().get('sample')).metadata.generation).toBe(2);
    });

    test('the server enforces the schema of the CRD', async () => {
      const wrong = PodCount.make({ metadata: { name: 'wrong' }, spec: { count: 11 } });
      await expect(objects().create(wrong)).rejects.toThrow('spec.count: Invalid value: 11');
    });

    test('a deleted dependent is created again', async () => {
      const maps = harness.client.configMaps(harness.namespace);
      await objects().create(PodCount.make({ metadata: { name: 'owner' }, spec: { count: 1 } }));
      const there = async () => (await maps.list()).items.find(({ metadata }) => metadata.name === 'owner');
      await harness.eventually(async () => (await there()) !== undefined);
      const first = await there();
      expect(first?.metadata.ownerReferences).toMatchObject([{ kind: 'PodCount', name: 'owner', controller: true }]);
      await maps.delete('owner');
      await harness.eventually(async () => ![undefined, first?.metadata.uid].includes((await there())?.metadata.uid));
    });

    test('an object is removed when its finalizer has run, and not before', async () => {
      await objects().create(PodCount.make({ metadata: { name: 'held' }, spec: { count: 1 } }));
      await harness.eventually(async () => (await objects().get('held')).metadata.finalizers?.[0] === finalizer);
      await objects().delete('held');
      await harness.eventually(() =>
        objects()
          .get('held')
          .then(() => false, isNotFound),
      );
      expect(released).toContain('held');
    });

    test('MG-4 of two managers with one lease, the second works after the first', async () => {
      const log: string[] = [];
      const candidate = (identity: string) => {
        const lease = { namespace: harness.namespace, name: 'manager' };
        const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };
        const one = managerOf(harness, { leaderElection: { lease, identity, releaseOnStop: true, ...times } });
        one.add(async () => void log.push(identity));
        void one.start();
        return one;
      };
      const first = candidate('a');
      await harness.eventually(() => log.length === 1);
      const second = candidate('b');
      await harness.passing(second.ready());
      await harness.passing(first.stop());
      await harness.eventually(() => log.length === 2);
      await harness.passing(second.stop());
      expect(log).toEqual(['a', 'b']);
    });
  });
}

function managerOf(harness: ClientHarness, more: Pick<Parameters<typeof createManager>[0], 'leaderElection'> = {}) {
  const { client, clock, random, namespace } = harness;
  const cache = { deepFreeze: true, namespaces: [namespace] };
  return createManager({ client, clock, random, logger: silentLogger, cache, ...more });
}

/** A CRD is accepted at once and served a moment later. */
async function serve(PodCount: PodCounts, { client, clock, passing, eventually }: ClientHarness): Promise<void> {
  await client.customResourceDefinitions().create(PodCount.crd);
  const established = waitForObject({
    client,
    clock,
    ref: refs.customResourceDefinitions,
    name: PodCount.crd.metadata.name ?? '',
    until: (found) =>
      found?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true,
    timeoutMs: 30_000,
  });
  await passing(established);
  await eventually(() =>
    client
      .resource(PodCount)
      .list()
      .then(() => true, isNotServed),
  );
}

function isNotServed(error: unknown): false {
  if (isNotFound(error)) return false;
  throw error;
}

interface Parts {
  readonly PodCount: PodCounts;
  readonly released: string[];
}

/** Reports the count, keeps a config map beside each object, and notes which ones went. */
function addController(manager: Manager, { PodCount, released }: Parts): void {
  const { client } = manager;
  newController(manager)
    .for(PodCount)
    .owns(refs.configMaps)
    .complete(
      reconcileObject({ client, ref: PodCount }, async (found) => {
        const { name = '', namespace } = found.metadata;
        const resource = client.resource(PodCount, namespace);
        const finalizers = { [finalizer]: async () => void released.push(name) };
        const { object: current, deleting } = await runFinalizers(found, { resource, finalizers });
        if (deleting) return;
        await createOrUpdate({
          client,
          ref: refs.configMaps,
          namespace,
          name,
          mutate: (map) => setControllerReference(map, current, PodCount),
        });
        await writeStatus(resource, { current, next: { ...current, status: { count: current.spec.count } } });
      }),
    );
}
