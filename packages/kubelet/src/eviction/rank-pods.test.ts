import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { localStorageExcess } from './local-storage.js';
import type { PodUsage } from './pod-usage.js';
import { rankPods } from './rank-pods.js';

interface Example {
  readonly name: string;
  readonly request?: string;
  readonly priority?: number;
  readonly used?: number;
}

function podOf({ name, request = '0', priority = 0 }: Example): Pod {
  const requests = { memory: request, 'ephemeral-storage': request };
  return { metadata: { name, uid: name }, spec: { priority, containers: [{ name: 'c', resources: { requests } }] } };
}

function usageOf(used: number): PodUsage {
  const disk = { bytes: used, inodes: used };
  const containers = new Map([['c', { memoryBytes: used, disk }]]);
  return { memoryBytes: used, processes: used, containers, volumes: new Map() };
}

function ranked(signal: Parameters<typeof rankPods>[0], examples: readonly Example[]) {
  const usage = new Map(
    examples.flatMap(({ name, used }) => (used === undefined ? [] : [[name, usageOf(used)] as const])),
  );
  return rankPods(signal, examples.map(podOf), usage).map(({ metadata }) => metadata.name);
}

describe('rankPods', () => {
  const examples: readonly Example[] = [
    { name: 'modest', request: '100', used: 50 },
    { name: 'important and greedy', request: '100', priority: 10, used: 900 },
    { name: 'greedy', request: '100', used: 300 },
    { name: 'greedier', request: '100', used: 400 },
  ];

  test.each(['memory.available', 'nodefs.available', 'imagefs.available'] as const)(
    'K31.11 for %s: who exceeds its request, then priority, then by how much',
    (signal) => {
      expect(ranked(signal, examples)).toEqual(['greedier', 'greedy', 'important and greedy', 'modest']);
    },
  );

  test('K31.11 for processes: priority, then how many', () => {
    expect(ranked('pid.available', examples)).toEqual(['greedier', 'greedy', 'modest', 'important and greedy']);
  });

  test('K31.11 pods without statistics are first', () => {
    expect(ranked('memory.available', [{ name: 'known', used: 1e9 }, { name: 'unknown' }])).toEqual([
      'unknown',
      'known',
    ]);
  });
});

describe('localStorageExcess', () => {
  const limited = (limits: Record<string, string>, sizeLimit?: string): Pod => ({
    metadata: {},
    spec: {
      containers: [{ name: 'c', resources: { limits } }],
      volumes: [{ name: 'scratch', emptyDir: { ...(sizeLimit && { sizeLimit }) } }],
    },
  });
  const using = (disk: number, volume: number): PodUsage => ({
    ...usageOf(disk),
    volumes: new Map([['scratch', { bytes: volume, inodes: 1 }]]),
  });
  test.each([
    { pod: limited({}, '100'), usage: using(0, 100), message: undefined },
    {
      pod: limited({}, '100'),
      usage: using(0, 101),
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "100". ',
    },
    {
      pod: limited({ 'ephemeral-storage': '100' }),
      usage: using(60, 50),
      message: 'Pod ephemeral local storage usage exceeds the total limit of containers 100. ',
    },
    { pod: limited({ 'ephemeral-storage': '100' }), usage: using(50, 50), message: undefined },
    { pod: limited({}), usage: using(1e9, 1e9), message: undefined },
  ])('K31.15 $message', ({ pod, usage, message }) => {
    expect(localStorageExcess(pod, usage)?.message).toBe(message);
  });

  test('K31.15 a container may not exceed its own limit, regardless of the others', () => {
    const limits = { 'ephemeral-storage': '100' };
    const containers = [
      { name: 'c', resources: { limits } },
      { name: 'd', resources: { limits } },
    ];
    expect(localStorageExcess({ metadata: {}, spec: { containers } }, using(150, 0))?.message).toBe(
      'Container c exceeded its local ephemeral storage limit "100". ',
    );
  });
});
