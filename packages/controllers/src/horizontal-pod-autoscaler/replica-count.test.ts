import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { groupPods } from './group-pods.js';
import type { PodSample } from './metric-samples.js';
import { averageRatio, countReplicas, utilizationRatio } from './replica-count.js';

const minute = 60_000;
const now = 100 * minute;
const settings = { cpuInitializationMs: 5 * minute, initialReadinessDelayMs: 30_000 };
const tolerances = { up: 0.1, down: 0.1 };

interface PodInput {
  readonly phase?: string;
  readonly ready?: boolean;
  readonly startedAgoMs?: number;
  readonly changedAgoMs?: number;
  readonly deleted?: boolean;
}

function pod(
  name: string,
  { phase = 'Running', ready = true, startedAgoMs = 60 * minute, changedAgoMs = startedAgoMs, deleted }: PodInput = {},
): Pod {
  const time = (agoMs: number) => new Date(now - agoMs).toISOString();
  return {
    metadata: { name, ...(deleted && { deletionTimestamp: time(0) }) },
    status: {
      phase,
      startTime: time(startedAgoMs),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: time(changedAgoMs) }],
    },
  };
}

const samples = (values: Readonly<Record<string, number>>) =>
  new Map<string, PodSample>(
    Object.entries(values).map(([name, value]) => [name, { value, at: now, windowMs: minute }]),
  );

function count(pods: readonly Pod[], values: Readonly<Record<string, number>>, target: number, resource = ''): number {
  const sampled = samples(values);
  const groups = groupPods(pods, sampled, { resource, now, settings });
  const ratioOf = averageRatio(target);
  return countReplicas({ current: pods.length, samples: sampled, groups, tolerances, ratioOf, assumed: () => target })
    .replicas;
}

describe('HPA-18 HPA-19 HPA-20 replicas by an average', () => {
  test.each([
    ['above: the worked example', [pod('a'), pod('b')], { a: 50, b: 100 }, 60, 3],
    ['within the tolerance: nothing', [pod('a'), pod('b')], { a: 60, b: 65 }, 60, 2],
    ['below', [pod('a'), pod('b'), pod('c'), pod('d')], { a: 10, b: 10, c: 10, d: 10 }, 40, 1],
    ['a missing pod keeps it from shrinking', [pod('a'), pod('b')], { a: 2 }, 60, 2],
    ['a missing pod slows growing', [pod('a'), pod('b'), pod('c')], { a: 120, b: 120 }, 60, 4],
    ['a missing pod that turns the direction: nothing', [pod('a'), pod('b'), pod('c')], { a: 70 }, 60, 3],
    ['a pod that is deleted does not count', [pod('a'), pod('b', { deleted: true })], { a: 120, b: 1 }, 60, 2],
    ['a pending pod counts as nothing on the way up', [pod('a'), pod('b', { phase: 'Pending' })], { a: 180 }, 60, 3],
  ])('%s', (_name, pods, values, target, replicas) => {
    expect(count(pods, values, target)).toBe(replicas);
  });

  test('HPA-21 CPU usage of a starting pod is not used', () => {
    const starting = pod('b', { ready: false, startedAgoMs: minute });
    expect(count([pod('a'), starting], { a: 60, b: 600 }, 60, 'cpu')).toBe(2);
    expect(count([pod('a'), starting], { a: 60, b: 600 }, 60, 'memory')).toBe(11);
  });

  test('without any sample there is no result', () => {
    expect(() => count([pod('a', { phase: 'Pending' })], {}, 60)).toThrow(
      'did not receive metrics for targeted pods (pods might be unready)',
    );
  });
});

test('utilization is a whole percentage of all requests', () => {
  const requests = new Map([
    ['a', 1000],
    ['b', 3000],
  ]);
  expect(utilizationRatio(50, requests)(samples({ a: 999, b: 2000, unknown: 5 }))).toEqual({
    ratio: 74 / 50,
    utilization: 74,
    average: 1499,
  });
});
