import { refs } from '@coracle/api';
import type { Exchange, KubeObject } from '@coracle/apimachinery';
import { seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import type { InformerEvent } from './informer.js';
import { createInformers, type InformersOptions } from './informers.js';

const user = { name: 'tester', groups: [] };
const podPath = (name: string) => `/api/v1/namespaces/default/pods/${name}`;
const pod = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
});

function started(api: MemoryApi, options: Partial<InformersOptions> & { over?: 'bytes' } = {}) {
  const clock = new VirtualClock();
  const client = createClient({ transport: api, ...(options.over !== 'bytes' && { user }) });
  const informers = createInformers({
    client,
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    deepFreeze: true,
    ...options,
  });
  const pods = informers.for(refs.pods);
  const seen: string[] = [];
  pods.addHandler((event) => seen.push(describeEvent(event)));
  informers.start();
  return { clock, informers, pods, seen };
}

function describeEvent(event: InformerEvent<KubeObject>): string {
  const mark =
    event.type === 'added' && event.initial ? ' (initial)' : event.type === 'deleted' && event.stale ? ' (stale)' : '';
  return `${event.type} ${event.object.metadata.name}${mark}`;
}

describe('code of users that throws', () => {
  test('an index function that throws on one object: the object is still in the cache, and later ones are indexed', async () => {
    const api = new MemoryApi();
    const { clock, pods, seen } = started(api);
    pods.addIndex('color', ({ metadata }) => {
      const { color } = metadata.labels ?? {};
      if (color === undefined) throw new Error('no color');
      return [color];
    });
    await clock.settle();
    api.put(podPath('plain'), pod('plain'));
    api.put(podPath('red'), pod('red', { color: 'red' }));
    api.put(podPath('plain'), pod('plain', { color: 'red' }));
    expect(seen).toEqual(['added plain', 'added red', 'updated plain']);
    expect(pods.byIndex('color', 'red').map(({ metadata }) => metadata.name)).toEqual(['red', 'plain']);
  });

  test('a transform that throws loses that object, and no other', async () => {
    const api = new MemoryApi();
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const { clock, informers } = started(api, { logger });
    const seen: string[] = [];
    const pods = informers.for(refs.pods, {
      transform: (object) => {
        if (object.metadata.name === 'bad') throw new Error('cannot be transformed');
        return object;
      },
    });
    pods.addHandler((event) => seen.push(describeEvent(event)));
    await clock.settle();
    for (const name of ['a', 'bad', 'b']) api.put(podPath(name), pod(name));
    expect(seen).toEqual(['added a', 'added b']);
    expect(pods.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(errors).toEqual(['Failed to apply a change to the cache']);
  });

  test('a transform that throws on a deleted object does not hide the deletion', async () => {
    const api = new MemoryApi();
    const { clock, informers } = started(api);
    const seen: string[] = [];
    let isBroken = false;
    const pods = informers.for(refs.pods, {
      transform: (object) => {
        if (isBroken) throw new Error('cannot be transformed');
        return object;
      },
    });
    pods.addHandler((event) => seen.push(describeEvent(event)));
    await clock.settle();
    api.put(podPath('a'), pod('a'));
    isBroken = true;
    api.remove(podPath('a'));
    expect([seen, pods.list()]).toEqual([['added a', 'deleted a'], []]);
  });
});

describe.each([{ over: 'values' }, { over: 'bytes' }])('an informer over $over', ({ over }) => {
  const way = over === 'bytes' ? { over: 'bytes' as const } : {};

  test.each([{ watchList: true }, { watchList: false }])(
    'IN-1 reads everything, then follows (WatchList: $watchList)',
    async ({ watchList }) => {
      const api = new MemoryApi();
      api.supportsWatchList = watchList;
      api.put(podPath('a'), pod('a'));
      const { clock, informers, pods, seen } = started(api, way);
      await clock.settle();
      api.put(podPath('b'), pod('b'));
      api.put(podPath('a'), pod('a', { changed: 'yes' }));
      api.remove(podPath('b'));
      expect(seen).toEqual(['added a (initial)', 'added b', 'updated a', 'deleted b']);
      expect({ synced: pods.hasSynced, at: pods.state.at, list: pods.list().map((p) => p.metadata.name) }).toEqual({
        synced: true,
        at: 'watching',
        list: ['a'],
      });
      await informers[Symbol.asyncDispose]();
      expect({ watchers: api.watchers, timers: clock.pending }).toEqual({ watchers: 0, timers: 0 });
    },
  );
});

describe('an informer', () => {
  test('RF-16 resumes a closed watch without a relist', async () => {
    const api = new MemoryApi();
    const { clock, seen } = started(api);
    await clock.settle();
    api.put(podPath('a'), pod('a'));
    api.closeWatches();
    api.put(podPath('b'), pod('b'));
    await clock.advance(5_000);
    const sent = api.requests.map(({ query }) => new URLSearchParams(query).get('resourceVersion'));
    expect({ seen, sent }).toEqual({ seen: ['added a', 'added b'], sent: [null, '101'] });
  });

  test('RF-12 a bookmark advances the version at which the watch resumes', async () => {
    const api = new MemoryApi();
    const { clock } = started(api);
    await clock.settle();
    api.put('/api/v1/namespaces/default/secrets/x', pod('x'));
    api.put('/api/v1/namespaces/default/secrets/y', pod('y'));
    api.bookmark();
    api.closeWatches();
    await clock.advance(5_000);
    expect(new URLSearchParams(api.requests.at(-1)?.query).get('resourceVersion')).toBe('102');
  });

  test('LW-8 RF-15 lists again when its version has expired, and reports missed changes', async () => {
    const api = new MemoryApi();
    for (const name of ['kept', 'changed', 'gone']) api.put(podPath(name), pod(name));
    const { clock, seen } = started(api);
    await clock.settle();
    seen.length = 0;
    api.closeWatches();
    api.put(podPath('changed'), pod('changed', { now: 'new' }));
    api.remove(podPath('gone'));
    api.put(podPath('added'), pod('added'));
    api.compact();
    await clock.advance(5_000);
    expect(seen.sort()).toEqual(['added added', 'deleted gone (stale)', 'updated changed']);
  });

  test('RF-13 an ERROR event ends the watch and leads to a list', async () => {
    const api = new MemoryApi();
    let failed = 0;
    const exchange: typeof api.exchange = async (request) => {
      if (request.query.includes('watch=true') && failed++ === 0)
        return {
          status: 200,
          headers: {},
          body: {
            kind: 'values',
            values: {
              open: (sink) =>
                sink.write({
                  type: 'ERROR',
                  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 },
                }),
            },
          },
        };
      return api.exchange(request);
    };
    const clock = new VirtualClock();
    const client = createClient({ transport: { exchange }, user });
    await using informers = createInformers({ client, clock, random: seededRandom(1), logger: silentLogger });
    const pods = informers.for(refs.pods);
    informers.start();
    await clock.settle();
    expect([pods.state.at, pods.hasSynced]).toEqual(['watching', true]);
  });

  test('RF-11 an event of an unknown type is reported, and later events count', async () => {
    const object = (name: string, resourceVersion: string) => ({
      metadata: { name, namespace: 'default', resourceVersion },
    });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const events = [
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } },
      { type: 'RENAMED', object: object('a', '2') },
      { type: 'ADDED', object: object('b', '3') },
    ];
    const exchange: Exchange = async () => ({
      status: 200,
      headers: {},
      body: { kind: 'values', values: { open: (sink) => events.forEach((event) => void sink.write(event)) } },
    });
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const client = createClient({ transport: { exchange }, user });
    const clock = new VirtualClock();
    await using informers = createInformers({ client, clock, random: seededRandom(1), logger });
    const pods = informers.for(refs.pods);
    informers.start();
    await clock.settle();
    expect({ errors, names: pods.list().map(({ metadata }) => metadata.name) }).toEqual({
      errors: ['Unknown type of watch event'],
      names: ['b'],
    });
  });

  test('objects that change during a list have their last state', async () => {
    const object = (name: string, resourceVersion: string) => ({
      metadata: { name, namespace: 'default', resourceVersion },
    });
    const events = [
      { type: 'ADDED', object: object('a', '1') },
      { type: 'ADDED', object: object('b', '2') },
      { type: 'DELETED', object: object('a', '3') },
      { type: 'MODIFIED', object: object('b', '4') },
      {
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: '4', annotations: { 'k8s.io/initial-events-end': 'true' } } },
      },
    ];
    const exchange: Exchange = async () => ({
      status: 200,
      headers: {},
      body: { kind: 'values', values: { open: (sink) => events.forEach((event) => void sink.write(event)) } },
    });
    const client = createClient({ transport: { exchange }, user });
    await using informers = createInformers({
      client,
      clock: new VirtualClock(),
      random: seededRandom(1),
      logger: silentLogger,
    });
    const pods = informers.for(refs.pods);
    const seen: string[] = [];
    pods.addHandler((event) => seen.push(describeEvent(event)));
    informers.start();
    await informers.synced();
    expect({ seen, version: pods.get('default/b')?.metadata.resourceVersion }).toEqual({
      seen: ['added b (initial)'],
      version: '4',
    });
  });

  test('RF-2 retries with backoff while the server cannot be reached, and logs it', async () => {
    const api = new MemoryApi();
    const tries: number[] = [];
    const clock = new VirtualClock();
    const start = clock.now();
    let down = true;
    const exchange: typeof api.exchange = (request) => {
      tries.push(clock.now() - start);
      return down ? Promise.reject(new Error('connection refused')) : api.exchange(request);
    };
    const client = createClient({ transport: { exchange }, user });
    await using informers = createInformers({ client, clock, random: { next: () => 0 }, logger: silentLogger });
    const pods = informers.for(refs.pods);
    informers.start();
    await clock.advance(60_000);
    expect({ tries, at: pods.state.at, synced: pods.hasSynced }).toEqual({
      tries: [0, 800, 2_400, 5_600, 12_000, 24_800, 50_400],
      at: 'waiting',
      synced: false,
    });
    down = false;
    await clock.advance(30_000);
    expect(pods.state.at).toBe('watching');
  });

  test('RF-14 a watch that ends at once is not restarted at once', async () => {
    const api = new MemoryApi();
    const { clock } = started(api);
    await clock.settle();
    api.closeWatches();
    await clock.settle();
    api.closeWatches();
    await clock.settle();
    const before = api.requests.length;
    await clock.advance(5_000);
    expect(api.requests.length).toBe(before + 1);
  });

  test('SI-9 delivers all objects to a late handler', async () => {
    const api = new MemoryApi();
    api.put(podPath('a'), pod('a'));
    const { clock, pods } = started(api);
    await clock.settle();
    const late: string[] = [];
    const handler = pods.addHandler((event) => late.push(describeEvent(event)));
    api.put(podPath('b'), pod('b'));
    handler[Symbol.dispose]();
    api.put(podPath('c'), pod('c'));
    expect(late).toEqual(['added a (initial)', 'added b']);
  });

  test('SP-7 a handler that throws does not keep the event from the others', async () => {
    const api = new MemoryApi();
    const { clock, pods } = started(api);
    pods.addHandler(() => {
      throw new Error('a bug');
    });
    const seen: string[] = [];
    pods.addHandler((event) => seen.push(describeEvent(event)));
    await clock.settle();
    api.put(podPath('a'), pod('a'));
    expect(seen).toEqual(['added a']);
  });

  test('RS-1 RS-3 resyncs the handler that requested it from its cache', async () => {
    const api = new MemoryApi();
    api.put(podPath('a'), pod('a'));
    const { clock, informers, pods, seen } = started(api);
    const again: string[] = [];
    const handler = pods.addHandler((event) => again.push(describeEvent(event)), { resyncMs: 60_000 });
    await clock.advance(150_000);
    expect({ again, seen, requests: api.requests.length }).toEqual({
      again: ['added a (initial)', 'updated a', 'updated a'],
      seen: ['added a (initial)'],
      requests: 1,
    });
    handler[Symbol.dispose]();
    await informers[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  test('IN-7 the copy is up to date when a handler is called, and events stay in order when a handler causes some', async () => {
    const api = new MemoryApi();
    const { clock, pods } = started(api);
    await clock.settle();
    const order: string[] = [];
    pods.addHandler((event) => {
      order.push(
        `first ${event.object.metadata.name} ${pods.get(`default/${event.object.metadata.name}`) ? 'kept' : 'not kept'}`,
      );
      if (event.object.metadata.name === 'a') api.put(podPath('b'), pod('b'));
    });
    pods.addHandler((event) => order.push(`second ${event.object.metadata.name}`));
    api.put(podPath('a'), pod('a'));
    expect(order).toEqual(['first a kept', 'second a', 'first b kept', 'second b']);
  });

  test('SI-12 returned objects are frozen in tests', async () => {
    const api = new MemoryApi();
    api.put(podPath('a'), pod('a'));
    const { clock, pods } = started(api);
    await clock.settle();
    expect(() => {
      pods.list()[0]!.metadata.labels!['x'] = 'y';
    }).toThrow(TypeError);
  });

  test('stores the results of a transform', async () => {
    const api = new MemoryApi();
    api.put(podPath('a'), pod('a', { big: 'label' }));
    const { clock, informers } = started(api);
    const slim = informers.for(refs.pods, {
      transform: (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }),
    });
    await clock.settle();
    expect(slim.list()[0]?.metadata.labels).toEqual({});
  });
});

describe('createInformers', () => {
  test('FA-1 FA-4 returns one informer for one resource and set of options', () => {
    const { informers, pods } = started(new MemoryApi());
    expect(informers.for(refs.pods)).toBe(pods);
    expect(informers.for(refs.pods, { labelSelector: 'a=b' })).not.toBe(pods);
    expect(informers.for(refs.pods, { labelSelector: 'a=b' })).toBe(informers.for(refs.pods, { labelSelector: 'a=b' }));
    expect(informers.for(refs.nodes)).not.toBe(pods);
  });

  test('FA-5 FA-6 starts later informers too, and waits for all', async () => {
    const api = new MemoryApi();
    const { informers } = started(api);
    const nodes = informers.for(refs.nodes);
    await informers.synced();
    expect(nodes.hasSynced).toBe(true);
  });

  test('FA-10 sends the selectors with list and watch', async () => {
    const api = new MemoryApi();
    api.supportsWatchList = false;
    const { clock, informers } = started(api, { defaults: { namespace: 'ns' } });
    informers.for(refs.services, { labelSelector: 'a=b', fieldSelector: 'c=d' });
    await clock.settle();
    const sent = api.requests.filter(({ path }) => path === '/api/v1/namespaces/ns/services');
    expect(sent.length).toBeGreaterThan(1);
    for (const { query } of sent) expect(query).toMatch(/labelSelector=a%3Db&fieldSelector=c%3Dd/);
  });
});
