import { refs } from '@coracle/api';
import type { Exchange, KubeObject } from '@coracle/apimachinery';
import { type Logger, seededRandom, silentLogger, sleep, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import type { InformerOptions } from './informer.js';
import { createInformers } from './informers.js';

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLogger(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const write = (message: string, fields = {}) => void lines.push({ message, fields });
  const logger: Logger = { ...silentLogger, info: write, error: write, with: () => logger };
  return { lines, logger };
}

function podsOver(exchange: Exchange, clock: VirtualClock, options: InformerOptions = {}) {
  const { lines, logger } = recordingLogger();
  const client = createClient({ transport: { exchange }, user: { name: 'tester', groups: [] } });
  const informers = createInformers({ client, clock, random: seededRandom(1), logger });
  const pods = informers.for(refs.pods, options);
  informers.start();
  return { informers, pods, lines };
}

describe('RF-5 reading everything', () => {
  const onePod = (watchList: boolean) => {
    const api = new MemoryApi();
    api.supportsWatchList = watchList;
    api.put('/api/v1/namespaces/default/pods/a', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    return api;
  };
  /** Every response takes this long, unless it is aborted. */
  const slowed =
    (api: MemoryApi, clock: VirtualClock, ms: number): Exchange =>
    async (request) => {
      await sleep(clock, ms, request.signal);
      return api.exchange(request);
    };
  const cases = [
    { name: 'by a watch', watchList: true, delayMs: 11_000, first: 'Objects received', tookMs: 11_000 },
    { name: 'by a list', watchList: false, delayMs: 12_000, first: 'Objects listed', tookMs: 12_000 },
  ];

  test.each(cases)('$name, slower than ten seconds, is logged in its steps', async (one) => {
    const clock = new VirtualClock();
    const { informers, pods, lines } = podsOver(slowed(onePod(one.watchList), clock, one.delayMs), clock);
    await clock.advance(30_000);
    expect(pods.hasSynced).toBe(true);
    expect(lines.at(-1)).toEqual({
      message: 'Slow list of a resource',
      fields: {
        resource: 'pods.v1',
        tookMs: one.tookMs,
        steps: [
          { step: one.first, atMs: one.tookMs, objects: 1 },
          { step: 'Objects passed on', atMs: one.tookMs },
          { step: 'Version noted', atMs: one.tookMs, resourceVersion: '101' },
        ],
      },
    });
    await informers[Symbol.asyncDispose]();
  });

  test.each(cases)('$name, within ten seconds, is not', async ({ watchList }) => {
    const clock = new VirtualClock();
    const { informers, pods, lines } = podsOver(slowed(onePod(watchList), clock, 4_900), clock);
    await clock.advance(20_000);
    expect({ synced: pods.hasSynced, lines }).toEqual({ synced: true, lines: [] });
    await informers[Symbol.asyncDispose]();
  });

  test('a failure is reported with the step in which it occurred', async () => {
    const clock = new VirtualClock();
    const failing: Exchange = async () => {
      await sleep(clock, 15_000);
      throw new Error('no route');
    };
    const { informers, lines } = podsOver(failing, clock);
    await clock.advance(15_000);
    expect(lines[0]?.fields['steps']).toEqual([{ step: 'Failed', atMs: 15_000, error: new Error('no route') }]);
    await informers[Symbol.asyncDispose]();
  });

  test.each(cases)('$name is cut short by a stop', async ({ watchList }) => {
    const clock = new VirtualClock();
    const api = onePod(watchList);
    const hanging = slowed(api, clock, 3_600_000);
    const refusingWatchList: Exchange = (request) =>
      request.query.includes('watch=true') ? api.exchange(request) : hanging(request);
    const { informers, pods } = podsOver(watchList ? hanging : refusingWatchList, clock);
    await clock.settle();
    expect(pods.state).toEqual({ at: 'listing', by: watchList ? 'watch' : 'list' });
    await informers[Symbol.asyncDispose]();
    expect({ at: pods.state.at, timers: clock.pending }).toEqual({ at: 'stopped', timers: 0 });
  });
});

describe('RF-13 an event of another kind', () => {
  const object = (name: string, resourceVersion: string, kind: object): KubeObject => ({
    ...kind,
    metadata: { name, namespace: 'default', resourceVersion },
  });
  const initialEnd = {
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  };
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  const events = (wrong: object) => [
    { type: 'ADDED', object: object('wrong-before', '3', wrong) },
    { type: 'ADDED', object: object('before', '4', pod) },
    initialEnd,
    { type: 'ADDED', object: object('wrong-after', '6', wrong) },
    { type: 'MODIFIED', object: object('after', '7', pod) },
  ];
  const over =
    (wrong: object): Exchange =>
    async () => ({
      status: 200,
      headers: {},
      body: { kind: 'values', values: { open: (sink) => events(wrong).forEach((event) => void sink.write(event)) } },
    });

  test.each([
    { name: 'kind', wrong: { apiVersion: 'v1', kind: 'Secret' } },
    { name: 'version', wrong: { apiVersion: 'v2', kind: 'Pod' } },
    { name: 'group', wrong: { apiVersion: 'example.org/v1', kind: 'Pod' } },
  ])('($name) is reported and left out, and the watch continues', async ({ wrong }) => {
    const clock = new VirtualClock();
    const { informers, pods, lines } = podsOver(over(wrong), clock);
    await clock.settle();
    expect(pods.list().map(({ metadata }) => metadata.name)).toEqual(['before', 'after']);
    const line = {
      message: 'Watch event has an object of an unexpected kind',
      fields: { resource: 'pods.v1', expects: pod, ...wrong },
    };
    expect(lines).toEqual([line, line]);
    expect(pods.state.at).toBe('watching');
    await informers[Symbol.asyncDispose]();
  });

  test('is none where metadata alone was requested', async () => {
    const clock = new VirtualClock();
    const { informers, pods, lines } = podsOver(over(pod), clock, { metadataOnly: true });
    await clock.settle();
    expect({ count: pods.list().length, lines }).toEqual({ count: 4, lines: [] });
    await informers[Symbol.asyncDispose]();
  });
});

test.each([
  { name: 'five to ten minutes unless stated', least: 300, most: 600 },
  { name: 'as long as was stated, up to twice that', watchSeconds: 86_400, least: 86_400, most: 172_800 },
])('watches last $name', async ({ watchSeconds, least, most }) => {
  const api = new MemoryApi();
  const clock = new VirtualClock();
  const queries: string[] = [];
  const exchange: Exchange = (request) => {
    queries.push(request.query);
    return api.exchange(request);
  };
  const client = createClient({ transport: { exchange }, user: { name: 'tester', groups: [] } });
  const shared = { client, clock, random: seededRandom(1), logger: silentLogger };
  await using informers = createInformers({ ...shared, ...(watchSeconds && { watchSeconds }) });
  informers.for(refs.pods);
  informers.start();
  await clock.settle();
  const seconds = queries.map((query) => Number(new URLSearchParams(query).get('timeoutSeconds')));
  expect(seconds.length).toBeGreaterThan(0);
  for (const one of seconds) {
    expect(one).toBeGreaterThanOrEqual(least);
    expect(one).toBeLessThanOrEqual(most);
  }
});
