import { type ConfigMap, refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CacheEvent } from '../../packages/apiserver/src/watching/cache-event.js';
import { EventWindow } from '../../packages/apiserver/src/watching/event-window.js';
import { ResourceStorage } from '../../packages/apiserver/src/watching/resource-storage.js';
import { WatchCache } from '../../packages/apiserver/src/watching/watch-cache.js';
import { WatchSession } from '../../packages/apiserver/src/watching/watch-session.js';
import { WatcherIndex } from '../../packages/apiserver/src/watching/watcher-index.js';
import { DeltaQueue } from '../../packages/client/src/cache/delta-queue.js';
import { IndexedStore } from '../../packages/client/src/cache/indexed-store.js';
import { sourceOf, tablesOf, testFiles } from './flow-document.js';

const document = 'docs/flows/watch.md';
const [openingRows = [], eventRows = []] = tablesOf(document);

/** The methods that the document may name, by class. */
const followed = {
  WatchSession: [WatchSession.prototype, ['start', 'onEvent']],
  WatchCache: [WatchCache.prototype, ['list', 'watch', 'onEvents']],
  WatcherIndex: [WatcherIndex.prototype, ['add', 'dispatch']],
  EventWindow: [EventWindow.prototype, ['add']],
  CacheEvent: [CacheEvent.prototype, ['typeFor']],
  ResourceStorage: [ResourceStorage.prototype, ['create']],
  DeltaQueue: [DeltaQueue.prototype, ['replace', 'add', 'pop']],
  IndexedStore: [IndexedStore.prototype, ['put']],
} as const;

const calls: string[] = [];
const restore: (() => void)[] = [];
let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    components: { controllers: false, scheduler: false },
  });
  for (const [name, [prototype, methods]] of Object.entries(followed)) {
    for (const method of methods) restore.push(noteCalls(prototype, method, `${name}.${method}`));
  }
});
afterEach(async () => {
  for (const one of restore.splice(0)) one();
  await cluster.stop();
});

/** Records each call, and continues as before; until the returned function is called. */
function noteCalls(prototype: object, method: string, name: string): () => void {
  const original: unknown = Reflect.get(prototype, method);
  if (typeof original !== 'function') throw new Error(`there is no ${name}`);
  Reflect.set(prototype, method, function (this: unknown, ...args: unknown[]): unknown {
    calls.push(name);
    return Reflect.apply(original, this, args);
  });
  return () => void Reflect.set(prototype, method, original);
}

/** Each once, where it came first. */
function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  return work().then(() => [...new Set(calls)]);
}

describe(document, () => {
  test('has the calls of a starting watch, and of an event, in order', async () => {
    const seen: ConfigMap[] = [];
    const { client, clock, activity } = cluster;
    await using informers = createInformers({
      client,
      clock,
      activity,
      random: { next: () => 0.5 },
      logger: silentLogger,
    });
    informers.for(refs.configMaps).addHandler(({ object }) => void seen.push(object));
    const opening = await callsDuring(async () => {
      informers.start();
      await informers.synced();
    });
    const event = await callsDuring(async () => {
      await client.configMaps('default').create({ metadata: { name: 'news' } });
      await cluster.settled();
    });
    expect(seen.at(-1)?.metadata.name).toBe('news');
    expect(opening).toEqual(openingRows.map(({ step }) => step));
    // Admission looks into caches, too, before the object is stored.
    const stored = event.slice(event.indexOf('ResourceStorage.create'));
    expect(stored).toEqual(eventRows.map(({ step }) => step));
  });

  test.each([...openingRows, ...eventRows])('$step is in $file', ({ step, file }) => {
    const [name = '', method = ''] = step.split('.');
    expect(sourceOf(file)).toMatch(new RegExp(`^export class ${name}\\b`, 'm'));
    expect(sourceOf(file)).toMatch(new RegExp(`^  (async )?${method}\\(`, 'm'));
  });

  testFiles(document);
});
