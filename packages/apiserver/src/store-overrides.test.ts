import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const events = '/api/v1/namespaces/default/events';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

let clock: VirtualClock;
let store: Store;
let other: Store;
let server: TestServer;
/** Ends the watch on the other store, which cannot be begun again. */
let breakWatch: () => void;

beforeEach(async () => {
  clock = new VirtualClock();
  store = await createMemoryStore({ clock });
  other = await createMemoryStore({ clock });
  const watch = other.watch.bind(other);
  other.watch = (prefix, from, listener) => {
    breakWatch = () => {
      other.watch = () => {
        throw new Error('no watch');
      };
      listener.onError(new Error('broken'));
    };
    return watch(prefix, from, listener);
  };
  const storeOverrides = [
    { group: '', resource: 'events', store: other },
    { group: 'apps', resource: 'deployments', store: other },
  ];
  server = await startTestServer({ clock, store, storeOverrides });
});
afterEach(async () => {
  await server.server[Symbol.asyncDispose]();
  await Promise.all([store, other].map((one) => one[Symbol.asyncDispose]()));
});

const event = {
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
};
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };

test('resources with another store are there and not in the usual one, in all of their versions', async () => {
  await server.call('POST', events, event);
  await server.call('POST', deployments, deployment);
  await server.call('POST', configMaps, { metadata: { name: 'c' } });
  const counts = async (one: Store) =>
    await Promise.all(['events', 'deployments', 'configmaps'].map((name) => one.count(`/registry/${name}/default/`)));
  expect(await counts(store)).toEqual([0, 0, 1]);
  expect(await counts(other)).toEqual([1, 1, 0]);
  const { body } = await server.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
  expect(body.regarding.name).toBe('p');
});

test('each store counts its own revisions', async () => {
  for (let i = 0; i < 20; i++) await server.call('POST', configMaps, { metadata: { name: `c${i}` } });
  const { body: made } = await server.call('POST', deployments, deployment);
  expect(Number(made.metadata.resourceVersion)).toBe(await other.currentRevision());
  expect(await other.currentRevision()).toBeLessThan(await store.currentRevision());
  const list = await server.call('GET', deployments);
  expect(list.body.metadata.resourceVersion).toBe(String(await other.currentRevision()));
  const { body } = await server.call('PUT', `${deployments}/d`, { ...made, spec: { ...made.spec, replicas: 3 } });
  expect(Number(body.metadata.resourceVersion)).toBe(await other.currentRevision());
});

test('watches follow the store of their resource', async () => {
  const first = await server.watch(`${deployments}?watch=true`);
  const second = await server.watch(`${configMaps}?watch=true`);
  await server.call('POST', deployments, deployment);
  await server.call('POST', configMaps, { metadata: { name: 'c' } });
  await server.call('DELETE', `${deployments}/d`);
  await clock.settle();
  expect(first.events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ['ADDED', 'd'],
    ['DELETED', 'd'],
  ]);
  expect(second.events.map(({ type, object }) => [type, object.metadata.name])).toEqual([['ADDED', 'c']]);
});

test('the server is not ready while the watch on one of the stores is broken', async () => {
  expect((await server.call('GET', '/readyz')).status).toBe(200);
  breakWatch();
  expect((await server.call('GET', '/readyz?verbose')).status).toBe(500);
});
