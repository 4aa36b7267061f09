import { refs } from '@coracle/api';
import { Activity, noMetrics, silentLogger, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { LocalInformers } from './local-informers.fixture.js';
import type { StaleConnections } from './packet-filter.js';
import { service, slice } from './proxy.fixture.js';
import { ServiceProxy, type ServiceProxyOptions } from './service-proxy.js';

/** A proxy whose packet filter records writes, and rejects the first `failures` ones. */
function setUp(more: Partial<ServiceProxyOptions> & { readonly failures?: number } = {}) {
  const { failures = 0, ...options } = more;
  const activity = new Activity();
  const clock = new VirtualClock({ activity });
  const informers = new LocalInformers();
  const writes: { readonly at: number; readonly text: string }[] = [];
  const began = clock.now();
  let tables = true;
  const proxy = new ServiceProxy({
    podNetworks: ['10.128.0.0/9'],
    masqueradeAll: false,
    masqueradeBit: 14,
    nodePortAddresses: [],
    informers,
    nodeName: 'node',
    families: [4],
    filter: {
      apply: async (text) => {
        writes.push({ at: clock.now() - began, text });
        if (writes.length <= failures) throw new Error('refused');
        tables = true;
      },
      hasTable: async () => tables,
      affinities: async () => [],
    },
    connections: { remove: async () => undefined },
    clock,
    logger: silentLogger,
    metrics: noMetrics,
    activity,
    ...options,
  });
  const put = (name: string, address: string) => {
    informers.for(refs.services).put(service(name, { clusterIP: address }));
    informers.for(refs.endpointSlices).put(slice(name, ['10.128.0.1']));
  };
  const flush = () => {
    tables = false;
  };
  return { proxy, clock, writes, put, flush };
}

test('concurrent changes of services are written in one transaction', async () => {
  const { proxy, clock, writes, put } = setUp();
  await proxy.started();
  const before = writes.length;
  for (let i = 1; i <= 20; i++) put(`web${i}`, `10.96.0.${i}`);
  await clock.settle();
  expect(writes.length).toBe(before + 1);
  for (let i = 1; i <= 20; i++) expect(writes.at(-1)?.text).toContain(`10.96.0.${i}`);
  expect(proxy.state.changedSince).toBeUndefined();
});

test('a failed write is retried with backoff, as the whole table', async () => {
  const { proxy, clock, writes, put } = setUp({ failures: 3 });
  put('web', '10.96.0.1');
  await proxy.started();
  expect(proxy.state.changedSince).toBeDefined();
  await clock.advance(5_000);
  expect(writes.map(({ at }) => at)).toEqual([0, 100, 300, 700]);
  expect(writes.at(-1)?.text).toContain('10.96.0.1');
  expect(proxy.state.changedSince).toBeUndefined();
});

test('changes keep the minimum distance', async () => {
  const { proxy, clock, writes, put } = setUp({ minSyncPeriodMs: 1_000 });
  await proxy.started();
  const before = writes.length;
  put('a', '10.96.0.1');
  await clock.settle();
  put('b', '10.96.0.2');
  await clock.advance(3_000);
  expect(writes.slice(before).flatMap(({ text }) => text.match(/10\.96\.0\.\d/) ?? [])).toEqual([
    '10.96.0.1',
    '10.96.0.2',
  ]);
});

test('flushed rules are written again', async () => {
  const { proxy, clock, writes, put, flush } = setUp({ syncPeriodMs: 30_000 });
  put('web', '10.96.0.1');
  await proxy.started();
  const before = writes.length;
  flush();
  await clock.advance(31_000);
  expect(writes.length).toBe(before + 1);
  expect(writes.at(-1)?.text).toContain('10.96.0.1');
});

test('after it is disposed nothing is written', async () => {
  const { proxy, clock, writes, put } = setUp();
  await proxy.started();
  await proxy[Symbol.asyncDispose]();
  const before = writes.length;
  put('web', '10.96.0.1');
  await clock.settle();
  expect(writes.length).toBe(before);
});

test('flows of UDP that go astray are ended when the rules are written at last', async () => {
  const removed: StaleConnections[] = [];
  const informers = new LocalInformers();
  const { proxy, clock, writes } = setUp({
    informers,
    failures: 3,
    connections: { remove: async (which) => void removed.push(...which) },
  });
  const ports = [{ port: 53, protocol: 'UDP' }];
  informers.for(refs.services).put(service('dns', { clusterIP: '10.96.0.10', ports }));
  informers.for(refs.endpointSlices).put(slice('dns', ['10.128.0.1'], { ports }));
  await clock.advance(10_000);
  await proxy.started();
  expect(writes.length).toBeGreaterThan(3);
  expect(removed).toEqual([{ protocol: 'udp', family: 4, address: '10.96.0.10', port: 53, endpoint: undefined }]);
});

test.each(['service.kubernetes.io/headless', 'service.kubernetes.io/service-proxy-name'])(
  'endpoints of a slice are removed and added with the label %s',
  async (label) => {
    const informers = new LocalInformers();
    const { proxy, clock, writes } = setUp({ informers });
    const labelled = (labels: Record<string, string>) => {
      const one = slice('web', ['10.128.0.1']);
      return { ...one, metadata: { ...one.metadata, labels: { ...one.metadata.labels, ...labels } } };
    };
    informers.for(refs.services).put(service('web'));
    informers.for(refs.endpointSlices).put(labelled({}));
    await proxy.started();
    informers.for(refs.endpointSlices).put(labelled({ [label]: '' }));
    await clock.settle();
    expect(writes.at(-1)?.text).toContain('add element ip coracle-proxy unserved { 10.96.0.1 . tcp . 80');
    informers.for(refs.endpointSlices).put(labelled({}));
    await clock.settle();
    expect(writes.at(-1)?.text).toContain('10.96.0.1 . tcp . 80 . 0 : 10.128.0.1 . 8080');
  },
);
