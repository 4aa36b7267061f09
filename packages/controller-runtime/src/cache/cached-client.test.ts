import { type ConfigMap, refs } from '@coracle/api';
import type { ApiRequest } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { createClient } from '@coracle/client';
import type { Cluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBareCluster } from '../bare-cluster.fixture.js';
import { withoutManagedFields } from './cache-options.js';
import { cachedClient } from './cached-client.js';
import { ObjectCache, type ObjectCacheDependencies } from './object-cache.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startBareCluster();
  for (const namespace of ['a', 'b', 'c']) {
    await cluster.client.namespaces().create({ metadata: { name: namespace } });
    for (const [name, colour] of [
      ['one', 'red'],
      ['two', 'blue'],
    ])
      await cluster.client
        .configMaps(namespace)
        .create({ metadata: { name: name as string, labels: { colour: colour as string } }, data: { secret: 'x' } });
  }
});
afterAll(() => cluster.stop());

/** A cache that runs, a client that reads from it, and the requests of the client to the server. */
function caching(options: Partial<ObjectCacheDependencies> = {}) {
  const requests: string[] = [];
  const { server } = cluster.controlPlane;
  const client = createClient({
    transport: {
      exchange: (request: ApiRequest) => {
        requests.push(`${request.method} ${request.path}`);
        return server.exchange(request);
      },
    },
    user: { name: 'tester', groups: ['system:masters'] },
  });
  const random = { next: () => 0.5 };
  const cache = new ObjectCache({ client, clock: cluster.clock, random, logger: silentLogger, ...options });
  const stop = new AbortController();
  const run = cache.start(stop.signal);
  return {
    requests,
    cache,
    client: cachedClient({ client, cache, uncached: [refs.secrets] }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}
const names = (objects: readonly ConfigMap[]) =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

describe('CA-7 the client of a manager', () => {
  test('reads from a cache that is created on first use', async () => {
    await using it = caching();
    expect(it.requests).toEqual([]);
    await it.client.configMaps('a').get('one');
    const first = it.requests.length;
    await it.client.configMaps('b').get('two');
    await it.client.configMaps().list();
    expect(it.requests.length).toBe(first);
  });

  test('writes to the server, and reads the result a moment later', async () => {
    await using it = caching();
    await it.client.configMaps('c').list();
    await it.client.configMaps('c').create({ metadata: { name: 'new' } });
    expect(it.requests).toContain('POST /api/v1/namespaces/c/configmaps');
    await cluster.clock.settle();
    expect((await it.client.configMaps('c').get('new')).kind).toBe('ConfigMap');
    await it.client.configMaps('c').delete('new');
    await cluster.clock.settle();
    await expect(it.client.configMaps('c').get('new')).rejects.toThrow('configmaps "new" not found');
  });

  test.each<[string, string | undefined, object, string[]]>([
    ['all', undefined, {}, ['a/one', 'a/two', 'b/one', 'b/two', 'c/one', 'c/two']],
    ['those of a namespace', 'a', {}, ['a/one', 'a/two']],
    ['by labels', undefined, { labelSelector: 'colour in (red)' }, ['a/one', 'b/one', 'c/one']],
    ['by name', undefined, { fieldSelector: 'metadata.name=two' }, ['a/two', 'b/two', 'c/two']],
    ['by an index', 'b', { fieldSelector: 'colour=blue' }, ['b/two']],
    ['not too many', 'a', { limit: 1 }, ['a/one']],
  ])('lists %s', async (_, namespace, options, expected) => {
    await using it = caching();
    it.cache.addIndex(refs.configMaps, 'colour', ({ metadata }) => [metadata.labels?.['colour'] ?? '']);
    const { items, kind } = await it.client.configMaps(namespace).list({ labelSelector: 'colour', ...options });
    expect(kind).toBe('ConfigMapList');
    expect(names(items)).toEqual(expected);
  });

  test.each(['a=1,b=2', 'a!=1'])('does not pretend to find by %s', async (fieldSelector) => {
    await using it = caching();
    await expect(it.client.configMaps('a').list({ fieldSelector })).rejects.toThrow('the cache finds by one field');
  });

  test('reads from the server for uncached resources, and for requests with a resourceVersion', async () => {
    await using it = caching();
    await it.client.secrets('a').list();
    await it.client.configMaps('a').get('one', { resourceVersion: '0' });
    expect(it.requests).toEqual(['GET /api/v1/namespaces/a/secrets', 'GET /api/v1/namespaces/a/configmaps/one']);
  });
});

describe('CA-3 the content of a cache', () => {
  test('may be some namespaces, seen as one', async () => {
    await using it = caching({ namespaces: ['a', 'b'] });
    expect(names((await it.client.configMaps().list({ labelSelector: 'colour' })).items)).toEqual([
      'a/one',
      'a/two',
      'b/one',
      'b/two',
    ]);
    const events: string[] = [];
    const informer = it.cache.informerFor(refs.configMaps);
    using _handler = informer.addHandler(({ type, object }) => void events.push(`${type} ${object.metadata.name}`));
    await cluster.client.configMaps('b').create({ metadata: { name: 'late' } });
    await cluster.client.configMaps('c').create({ metadata: { name: 'elsewhere' } });
    await cluster.clock.settle();
    expect(events.at(-1)).toBe('added late');
    expect(informer.state.at).toBe('watching');
    await cluster.client.configMaps('b').delete('late');
    await cluster.client.configMaps('c').delete('elsewhere');
    await expect(it.client.configMaps('c').get('one')).rejects.toThrow('unknown namespace for the cache');
  });

  test('may differ by resource', async () => {
    await using it = caching({
      namespaces: ['a'],
      resources: [{ ref: refs.configMaps, namespaces: ['b'], labelSelector: 'colour=red' }],
    });
    expect(names((await it.client.configMaps().list()).items)).toEqual(['b/one']);
  });

  test('may be less than there is', async () => {
    await using it = caching({ transform: withoutManagedFields });
    const map = await it.client.configMaps('a').get('one');
    expect(map.metadata).not.toHaveProperty('managedFields');
    expect(map.data).toEqual({ secret: 'x' });
  });

  test('has kinds, and is frozen', async () => {
    await using it = caching({ deepFreeze: true });
    const [map] = (await it.client.configMaps('a').list()).items as [ConfigMap];
    expect([map.apiVersion, map.kind]).toEqual(['v1', 'ConfigMap']);
    expect(() => ((map.data as Record<string, string>)['secret'] = 'y')).toThrow(TypeError);
  });

  test('is complete when it is synced', async () => {
    await using it = caching();
    it.cache.informerFor(refs.pods);
    expect(it.cache.isSynced).toBe(false);
    await it.cache.ready();
    expect(it.cache.isSynced).toBe(true);
  });
});
