import { refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf, reasonOf } from '@coracle/apimachinery';
import { silentLogger, sleep } from '@coracle/base';
import {
  CachedDiscovery,
  clientFor,
  createEventRecorder,
  createInformers,
  createWorkQueue,
  electLeader,
  resumingWatch,
  retryOnConflict,
  runWorkers,
  scaleClient,
  waitForObject,
} from '@coracle/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientHarness, suiteTimeoutMs } from './client-harness.js';

/** Requirements on the client with any transport, against any Kubernetes API server. */
export function describeClient(name: string, connect: () => Promise<ClientHarness>): void {
  describe(`the client, ${name}`, { timeout: suiteTimeoutMs }, () => {
    let harness: ClientHarness;
    beforeAll(async () => void (harness = await connect()));
    afterAll(() => harness[Symbol.asyncDispose]());
    const maps = () => harness.client.configMaps(harness.namespace);

    test('CS-3 every verb works', async () => {
      const created = await maps().create({ metadata: { name: 'verbs', labels: { app: 'x' } }, data: { k: '1' } });
      const updated = await maps().update({ ...created, data: { k: '2' } });
      const patched = await maps().patch('verbs', { data: { more: '3' } }, { type: 'merge' });
      const listed = await maps().list({ labelSelector: 'app=x' });
      expect({
        kind: created.kind,
        changed: updated.metadata.resourceVersion !== created.metadata.resourceVersion,
        data: patched.data,
        listed: listed.items.map(({ kind, metadata }) => [kind, metadata.name]),
      }).toEqual({ kind: 'ConfigMap', changed: true, data: { k: '2', more: '3' }, listed: [['ConfigMap', 'verbs']] });
      await maps().delete('verbs');
      await expect(maps().get('verbs')).rejects.toSatisfy(isNotFound);
    });

    test('a dry run changes nothing', async () => {
      await maps().create({ metadata: { name: 'dry' } }, { dryRun: true });
      await expect(maps().get('dry')).rejects.toSatisfy(isNotFound);
      await maps().create({ metadata: { name: 'wet' } });
      const rehearsing = harness.client.withDryRun().configMaps(harness.namespace);
      await rehearsing.patch('wet', { data: { k: 'v' } }, { type: 'merge' });
      await rehearsing.delete('wet');
      expect((await maps().get('wet')).data).toBeUndefined();
    });

    test('a collection is deleted by its labels', async () => {
      for (const [map, team] of [
        ['d1', 'red'],
        ['d2', 'red'],
        ['d3', 'blue'],
      ] as const)
        await maps().create({ metadata: { name: map, labels: { team } } });
      await maps().deleteCollection({ labelSelector: 'team=red' });
      expect((await maps().list({ labelSelector: 'team' })).items.map(({ metadata }) => metadata.name)).toEqual(['d3']);
    });

    test('a precondition that does not hold keeps an object from being deleted', async () => {
      await maps().create({ metadata: { name: 'kept' } });
      await expect(maps().delete('kept', { preconditions: { uid: 'another' } })).rejects.toSatisfy(isConflict);
      expect((await maps().get('kept')).metadata.name).toBe('kept');
    });

    test('RC-5 failures are StatusErrors', async () => {
      const first = await maps().create({ metadata: { name: 'failures' } });
      await maps().update({ ...first, data: { k: '1' } });
      await expect(maps().update({ ...first, data: { k: '2' } })).rejects.toSatisfy(isConflict);
      await expect(maps().create({ metadata: { name: 'failures' } })).rejects.toSatisfy(hasReason('AlreadyExists'));
      const invalid = await maps()
        .create({ metadata: { name: 'Not A Name' } })
        .catch((error) => error.status);
      expect(invalid).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { causes: [{ field: 'metadata.name' }] },
      });
    });

    test('retryOnConflict brings writers to agree', async () => {
      const { clock, random } = harness;
      await maps().create({ metadata: { name: 'counter' }, data: { n: '0' } });
      const increment = () =>
        retryOnConflict(
          async () => {
            const current = await maps().get('counter');
            await maps().update({ ...current, data: { n: String(Number(current.data?.['n']) + 1) } });
          },
          { clock, random, tries: 30 },
        );
      await harness.passing(Promise.all([increment(), increment(), increment()]));
      expect((await maps().get('counter')).data).toEqual({ n: '3' });
    });

    test('LW-11 pages are one snapshot', async () => {
      for (let i = 0; i < 7; i++) await maps().create({ metadata: { name: `page-${i}`, labels: { paged: 'yes' } } });
      const names: (string | undefined)[] = [];
      for await (const { metadata } of maps().listAll({ labelSelector: 'paged=yes', pageSize: 3 })) {
        if (names.length === 0) await maps().create({ metadata: { name: 'page-99', labels: { paged: 'yes' } } });
        names.push(metadata.name);
      }
      expect(names).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `page-${i}`));
    });

    test('apply owns its fields, and conflicts with other managers', async () => {
      const applied = await maps().apply({ metadata: { name: 'applied' }, data: { k: 'v' } }, { fieldManager: 'one' });
      expect(applied.metadata.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply' }]);
      const other = { metadata: { name: 'applied' }, data: { k: 'w' } };
      await expect(maps().apply(other, { fieldManager: 'two' })).rejects.toSatisfy(isConflict);
      expect((await maps().apply(other, { fieldManager: 'two', force: true })).data).toEqual({ k: 'w' });
    });

    test('LW-3 a watch reports every change after its version, in order', async () => {
      const { metadata } = await maps().list();
      const created = await maps().create({ metadata: { name: 'watched' } });
      await maps().update({ ...created, data: { k: 'v' } });
      await maps().delete('watched');
      const seen: string[] = [];
      const options = { resourceVersion: metadata.resourceVersion ?? '', fieldSelector: 'metadata.name=watched' };
      for await (const event of maps().watch(options)) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED') seen.push(event.type);
        if (event.type === 'DELETED') break;
      }
      expect(seen).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    });

    test('IN-1 an informer reports the existing objects, and then every change', async () => {
      const { client, clock, random, namespace } = harness;
      const labels = { informed: 'yes' };
      await maps().create({ metadata: { name: 'old', labels } });
      await using informers = createInformers({ client, clock, random, logger: silentLogger, deepFreeze: true });
      const copy = informers.for(refs.configMaps, { namespace, labelSelector: 'informed=yes' });
      const seen: string[] = [];
      copy.addHandler((event) => seen.push(`${event.type} ${event.object.metadata.name}`));
      informers.start();
      await harness.eventually(() => copy.hasSynced);
      const created = await maps().create({ metadata: { name: 'new', labels } });
      await maps().update({ ...created, data: { k: 'v' } });
      await maps().delete('old');
      await harness.eventually(() => seen.length >= 4);
      expect(seen).toEqual(['added old', 'added new', 'updated new', 'deleted old']);
      expect({ data: copy.get(`${namespace}/new`)?.data, at: copy.state.at }).toEqual({
        data: { k: 'v' },
        at: 'watching',
      });
    });

    test('WQ-1 a controller brings objects to their desired state', async () => {
      const { client, clock, random, namespace } = harness;
      await using informers = createInformers({ client, clock, random, logger: silentLogger });
      const copy = informers.for(refs.configMaps, { namespace, labelSelector: 'doubled=yes' });
      const queue = createWorkQueue({ clock });
      copy.addHandler((event) => queue.add(keyOf(event.object)));
      await using _workers = runWorkers({
        queue,
        workers: 2,
        reconcile: async (key) => {
          const map = copy.get(key);
          const expected = String(Number(map?.data?.['n']) * 2);
          if (map && map.data?.['double'] !== expected)
            await maps().update({ ...map, data: { ...map.data, double: expected } });
        },
      });
      informers.start();
      for (const n of ['1', '2', '3'])
        await maps().create({ metadata: { name: `double-${n}`, labels: { doubled: 'yes' } }, data: { n } });
      await harness.eventually(() => copy.list().length === 3 && copy.list().every(({ data }) => data?.['double']));
      expect(
        copy
          .list()
          .map(({ data }) => data?.['double'])
          .sort(),
      ).toEqual(['2', '4', '6']);
    });

    test('metadata alone can be read and followed', async () => {
      const { client, clock, random, namespace } = harness;
      const labels = { slim: 'yes' };
      await maps().create({ metadata: { name: 'slim', labels }, data: { k: 'v' } });
      const read = await client.metadata(refs.configMaps, namespace).get('slim');
      expect([read.kind, read.metadata.labels, 'data' in read]).toEqual(['PartialObjectMetadata', labels, false]);
      await using informers = createInformers({ client, clock, random, logger: silentLogger });
      const copy = informers.for(refs.configMaps, { namespace, labelSelector: 'slim=yes', metadataOnly: true });
      informers.start();
      await harness.eventually(() => copy.hasSynced);
      expect(copy.list().map((map) => [map.metadata.name, 'data' in map])).toEqual([['slim', false]]);
    });

    test('RF-16 a watch that the server closes resumes', async () => {
      const seen: (string | undefined)[] = [];
      const { metadata } = await maps().list();
      const watching = resumingWatch(maps(), {
        clock: harness.clock,
        random: harness.random,
        labelSelector: 'resumed=yes',
        resourceVersion: metadata.resourceVersion ?? '',
        timeoutSeconds: 1,
      });
      const create = (name: string) => maps().create({ metadata: { name, labels: { resumed: 'yes' } } });
      const reading = (async () => {
        for await (const event of watching) {
          if (event.type === 'ADDED') seen.push(event.object.metadata.name);
          if (seen.length === 2) return;
        }
      })();
      await create('before-the-end');
      await harness.passing(sleep(harness.clock, 1_100));
      await create('after-the-end');
      await harness.passing(reading);
      expect(seen).toEqual(['before-the-end', 'after-the-end']);
    });

    test('waitForObject waits for a condition of an object', async () => {
      const { client, clock, namespace } = harness;
      const until = (map: { data?: Record<string, string> } | undefined) => map?.data?.['ready'] === 'yes';
      const waiting = waitForObject({
        client,
        clock,
        ref: refs.configMaps,
        namespace,
        name: 'ready',
        until,
        timeoutMs: 30_000,
      });
      const created = await maps().create({ metadata: { name: 'ready' } });
      await maps().update({ ...created, data: { ready: 'yes' } });
      expect((await harness.passing(waiting))?.data).toEqual({ ready: 'yes' });
    });

    test('LE-4 one of two candidates leads, and the other after it', async () => {
      const { client, clock, random, namespace } = harness;
      const log: string[] = [];
      const stand = (identity: string) =>
        electLeader({
          client,
          clock,
          random,
          logger: silentLogger,
          lease: { namespace, name: 'election' },
          identity,
          leaseDurationMs: 3_000,
          renewDeadlineMs: 2_000,
          retryPeriodMs: 200,
          releaseOnStop: true,
          onStartedLeading: () => log.push(`${identity} leads`),
          onStoppedLeading: () => log.push(`${identity} stops`),
        });
      const first = stand('a');
      await harness.eventually(() => first.isLeader);
      const second = stand('b');
      await harness.eventually(() => second.leader === 'a');
      await harness.passing(first[Symbol.asyncDispose]());
      await harness.eventually(() => second.isLeader);
      await harness.passing(second[Symbol.asyncDispose]());
      expect(log).toEqual(['a leads', 'a stops', 'b leads', 'b stops']);
    });

    test.each(['core', 'events'] as const)('events are recorded (%s)', async (api) => {
      const { client, clock, random, namespace } = harness;
      const about = await maps().create({ metadata: { name: `told-${api}` } });
      const recorder = createEventRecorder({ client, clock, random, logger: silentLogger, component: 'suite', api });
      recorder.event(about, 'Normal', 'Told', 'twice', 'Telling');
      recorder.event(about, 'Normal', 'Told', 'twice', 'Telling');
      await harness.passing(recorder[Symbol.asyncDispose]());
      const { items } = await client.events(namespace).list({ fieldSelector: `involvedObject.name=told-${api}` });
      expect(items.map(({ reason, message, count, series }) => [reason, message, count ?? series?.count])).toEqual([
        ['Told', 'twice', 2],
      ]);
    });

    test('DI-1 DY-1 any object finds its resource by discovery', async () => {
      const { client, clock, namespace } = harness;
      const discovery = new CachedDiscovery({ client, clock });
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any', namespace }, data: { k: 'v' } };
      const created = await (await clientFor(object, { client, discovery })).create(object);
      expect(created['data']).toEqual({ k: 'v' });
      expect((await discovery.find('deploy'))?.resource).toBe('deployments');
    });

    test('the scale of a deployment can be read and set', async () => {
      const { client, namespace } = harness;
      const labels = { app: 'scaled' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'registry.example/none' }] } };
      await client.deployments(namespace).create({
        metadata: { name: 'scaled' },
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
      const scale = scaleClient(client, refs.deployments, namespace);
      expect((await scale.get('scaled')).spec?.replicas ?? 0).toBe(0);
      await scale.set('scaled', 1);
      expect((await client.deployments(namespace).get('scaled')).spec?.replicas).toBe(1);
      await client.deployments(namespace).delete('scaled');
    });
  });
}

const hasReason = (reason: string) => (error: unknown) => reasonOf(error) === reason;
