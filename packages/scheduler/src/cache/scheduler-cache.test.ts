import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makeNode, makePod, makePodInfo } from '../builders.fixture.js';
import { SchedulerCache } from './scheduler-cache.js';

const requests = { cpu: '500m' };

function setUp() {
  const clock = new VirtualClock();
  return { clock, cache: new SchedulerCache({ clock, assumedTtlMs: 30_000 }) };
}

function cpuOn(cache: SchedulerCache, node: string): number | undefined {
  return cache.node(node)?.requested.milliCpu;
}

describe('SCH-31 a pod in the cache', () => {
  test('counts from the moment that it is assumed, and once when it is confirmed', () => {
    const { cache } = setUp();
    cache.setNode(makeNode('a'));
    cache.assume(makePodInfo('p', { requests }), 'a');
    expect({ cpu: cpuOn(cache, 'a'), assumed: cache.isAssumed('p') }).toEqual({ cpu: 500, assumed: true });

    cache.setPod(makePod('p', { requests, spec: { nodeName: 'a' } }));
    expect({ cpu: cpuOn(cache, 'a'), assumed: cache.isAssumed('p') }).toEqual({ cpu: 500, assumed: false });
  });

  test('moves when the API reports another node than was assumed', () => {
    const { cache } = setUp();
    for (const name of ['a', 'b']) cache.setNode(makeNode(name));
    cache.assume(makePodInfo('p', { requests }), 'a');

    cache.setPod(makePod('p', { requests, spec: { nodeName: 'b' } }));
    expect([cpuOn(cache, 'a'), cpuOn(cache, 'b')]).toEqual([0, 500]);
  });

  test('can be forgotten while it is assumed, but not after', () => {
    const { cache } = setUp();
    cache.setNode(makeNode('a'));
    cache.assume(makePodInfo('p', { requests }), 'a');
    cache.forget('p');
    expect(cpuOn(cache, 'a')).toBe(0);

    cache.setPod(makePod('p', { requests, spec: { nodeName: 'a' } }));
    cache.forget('p');
    expect(cpuOn(cache, 'a')).toBe(500);
  });

  test('changes what it requests when it is resized', () => {
    const { cache } = setUp();
    cache.setNode(makeNode('a'));
    cache.setPod(makePod('p', { requests, spec: { nodeName: 'a' } }));
    cache.setPod(makePod('p', { requests: { cpu: '200m' }, spec: { nodeName: 'a' } }));

    expect({ cpu: cpuOn(cache, 'a'), pods: cache.podCount }).toEqual({ cpu: 200, pods: 1 });
  });
});

describe('SCH-28 an assumed pod that is not confirmed', () => {
  test('expires some time after binding', async () => {
    const { cache, clock } = setUp();
    cache.setNode(makeNode('a'));
    cache.assume(makePodInfo('p', { requests }), 'a');
    cache.finishBinding('p');

    await clock.advance(29_999);
    expect(cache.expireAssumed()).toEqual([]);
    await clock.advance(1);
    expect(cache.expireAssumed().map(({ uid }) => uid)).toEqual(['p']);
    expect(cpuOn(cache, 'a')).toBe(0);
  });

  test('does not expire while it is being bound (SCH-29)', async () => {
    const { cache, clock } = setUp();
    cache.assume(makePodInfo('p'), 'a');
    await clock.advance(600_000);

    expect(cache.expireAssumed()).toEqual([]);
  });
});

describe('nodes', () => {
  test('that are added after their pods count them', () => {
    const { cache } = setUp();
    cache.setPod(makePod('p', { requests, spec: { nodeName: 'a' } }));
    cache.setNode(makeNode('a'));

    expect(cpuOn(cache, 'a')).toBe(500);
  });

  test('that are deleted and added again still have their pods, except for deleted ones', () => {
    const { cache } = setUp();
    cache.setNode(makeNode('a'));
    for (const name of ['p', 'q']) cache.setPod(makePod(name, { requests, spec: { nodeName: 'a' } }));
    cache.removeNode('a');
    cache.removePod('q');
    expect(cache.nodes()).toEqual([]);

    cache.setNode(makeNode('a'));
    expect([...(cache.node('a')?.pods.keys() ?? [])]).toEqual(['p']);
  });

  test('are listed alternating between zones', () => {
    const { cache } = setUp();
    const zones = { a: 'z1', b: 'z1', c: 'z2', d: 'z3', e: 'z1' };
    for (const [name, zone] of Object.entries(zones))
      cache.setNode(makeNode(name, { labels: { 'topology.kubernetes.io/zone': zone } }));

    expect(cache.nodes().map(({ name }) => name)).toEqual(['a', 'c', 'd', 'b', 'e']);
  });

  test('are reordered when their zone changes', () => {
    const { cache } = setUp();
    for (const name of ['a', 'b', 'c'])
      cache.setNode(makeNode(name, { labels: { 'topology.kubernetes.io/zone': 'z1' } }));
    cache.setNode(makeNode('c', { labels: { 'topology.kubernetes.io/zone': 'z2' } }));

    expect(cache.nodes().map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  });
});
