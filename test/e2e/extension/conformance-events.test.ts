import type { KubeList, KubeObject } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const eventTime = '2017-09-19T13:49:11.000000Z';
const groups = {
  core: {
    path: '/api/v1',
    body: { message: 'This is a test', type: 'Normal', reason: 'Test', count: 1, involvedObject: { namespace: 'e2e' } },
    patch: { message: 'This is a test event - patched' },
  },
  'events.k8s.io': {
    path: '/apis/events.k8s.io/v1',
    body: {
      note: 'This is a test',
      type: 'Normal',
      reason: 'Test',
      action: 'Do',
      reportingController: 'test-controller',
      reportingInstance: 'test-node',
      eventTime,
      regarding: { namespace: 'e2e' },
    },
    patch: { series: { count: 2, lastObservedTime: eventTime } },
  },
};

/** The steps of upstream's conformance tests of sig-instrumentation. */
describe('events as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
    await cluster.client.namespaces().create({ metadata: { name: 'e2e' } });
  });
  afterAll(() => cluster?.stop());

  const send = async <T>(method: string, path: string, body?: object, contentType?: string): Promise<T> => {
    const answer = await cluster.client.raw(method, path, {
      ...(body && { body }),
      ...(contentType && { contentType }),
    });
    expect(answer.status).toBeLessThan(300);
    return answer.body as T;
  };
  const names = async (path: string, query: string) =>
    (await send<KubeList<KubeObject>>('GET', `${path}?${query}`)).items.map(({ metadata }) => metadata.name);

  test.each(Object.entries(groups))('should manage the lifecycle of an event of %s', async (group, kind) => {
    const events = `${kind.path}/namespaces/e2e/events`;
    const metadata = { name: 'event-test', labels: { 'testevent-constant': 'true' } };
    await send('POST', events, { metadata, ...kind.body });
    expect(await names(`${kind.path}/events`, 'labelSelector=testevent-constant%3Dtrue')).toEqual(['event-test']);
    if (group === 'events.k8s.io') {
      expect(await names('/api/v1/namespaces/e2e/events', 'fieldSelector=source%3Dtest-controller')).toEqual([
        'event-test',
      ]);
      expect(await names(events, 'fieldSelector=reportingController%3Dtest-controller')).toEqual(['event-test']);
    }
    const patchType = 'application/strategic-merge-patch+json';
    await send('PATCH', `${events}/event-test`, kind.patch, patchType);
    const { metadata: current, ...patched } = await send<KubeObject>('GET', `${events}/event-test`);
    expect(patched).toMatchObject({ ...kind.body, ...kind.patch });
    const { resourceVersion: _version, managedFields: _managers, ...rest } = current;
    const update = {
      ...patched,
      metadata: rest,
      series: { count: 100, lastObservedTime: '2017-09-19T13:49:16.000000Z' },
    };
    await send('PUT', `${events}/event-test`, update);
    expect(await send('GET', `${events}/event-test`)).toMatchObject(update);
    await send('DELETE', `${events}/event-test`);
    expect(await names(`${kind.path}/events`, 'labelSelector=testevent-constant%3Dtrue')).toEqual([]);
  });

  test.each(Object.entries(groups))('should delete a collection of events of %s', async (_group, kind) => {
    const events = `${kind.path}/namespaces/e2e/events`;
    for (const name of ['test-event-1', 'test-event-2', 'test-event-3'])
      await send('POST', events, { metadata: { name, labels: { 'testevent-set': 'true' } }, ...kind.body });
    const chosen = 'labelSelector=testevent-set%3Dtrue';
    expect(await names(events, chosen)).toHaveLength(3);
    await send('DELETE', `${events}?${chosen}`);
    expect(await names(events, chosen)).toEqual([]);
  });

  test('are streamed to informers, which list by watching', async () => {
    const seen: string[] = [];
    await send('POST', '/api/v1/namespaces/e2e/events', { metadata: { name: 'before' }, ...groups.core.body });
    using _watch = cluster.client
      .events('e2e')
      .openWatch(
        { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
        { event: ({ type, object }) => void seen.push(`${type} ${object.metadata.name ?? ''}`), end: () => undefined },
      );
    await cluster.settled();
    await send('POST', '/api/v1/namespaces/e2e/events', { metadata: { name: 'after' }, ...groups.core.body });
    await cluster.settled();
    expect(seen).toEqual(['ADDED before', 'BOOKMARK ', 'ADDED after']);
  });
});
