import type { Pod, PodSpec, ResourceRequirements } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import type { PodRejection, ResourceShortage } from '../admit-pod.js';
import { makePod } from '../builders.fixture.js';
import { chooseVictims, mayPreempt } from './choose-victims.js';
import { recoveryOf } from './preempt-pods.js';

function pod(name: string, resources: ResourceRequirements = {}, spec: Partial<PodSpec> = {}): Pod {
  const made = makePod({ containers: [{ name: 'web', image: 'nginx', resources }], ...spec });
  return { ...made, metadata: { ...made.metadata, name, uid: name } };
}

const systemNodeCritical = 2_000_001_000;
const critical = pod('critical', {}, { priority: systemNodeCritical });
const bestEffort = (name: string) => pod(name);
const burstable = (name: string, cpu: string, memory = '1Mi') => pod(name, { requests: { cpu, memory } });
const guaranteed = (name: string, cpu: string) => {
  const amounts = { cpu, memory: '1Mi' };
  return pod(name, { requests: amounts, limits: amounts });
};
const short = (amounts: Readonly<Record<string, number>>): ResourceShortage[] =>
  Object.entries(amounts).map(([resource, amount]) => ({ resource, amount }));

describe('pods that are preempted for a critical one', () => {
  test.each<[string, readonly Pod[], Readonly<Record<string, number>>, readonly string[]]>([
    ['the only one that can', [bestEffort('b'), burstable('m', '1')], { cpu: 500 }, ['m']],
    ['a BestEffort pod, if one place is all it takes', [guaranteed('g', '1'), bestEffort('b')], { pods: 1 }, ['b']],
    ['a Burstable pod rather than a Guaranteed one', [guaranteed('g', '1'), burstable('m', '1')], { cpu: 500 }, ['m']],
    ['both, if one is not enough', [guaranteed('g', '1'), burstable('m', '1')], { cpu: 1_500 }, ['m', 'g']],
    [
      'no Burstable pod that would change nothing',
      [guaranteed('g', '2'), burstable('m', '100m')],
      { cpu: 2_000 },
      ['g'],
    ],
    [
      'the one that is large enough rather than two that are small',
      [burstable('s', '200m'), burstable('t', '200m'), burstable('l', '400m')],
      { cpu: 400 },
      ['l'],
    ],
    [
      'of those that are large enough, the smallest by memory',
      [burstable('l', '1', '3Mi'), burstable('s', '1', '1Mi'), burstable('m', '1', '2Mi')],
      { cpu: 400 },
      ['s'],
    ],
    [
      'one that covers both resources in part rather than one that covers one',
      [burstable('cpu', '1'), burstable('both', '900m', '90Mi'), burstable('memory', '100m', '100Mi')],
      { cpu: 1_000, memory: 100 * 1024 * 1024 },
      ['both', 'memory'],
    ],
    [
      'one that has what is extended',
      [burstable('m', '1'), pod('gpu', { requests: { 'example.com/gpu': '1' } })],
      { 'example.com/gpu': 1 },
      ['gpu'],
    ],
  ])('%s', (_, pods, amounts, names) => {
    const choice = chooseVictims(critical, pods, short(amounts));
    expect('victims' in choice && choice.victims.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test('none, if all together are not enough', () => {
    const others = [burstable('m', '1'), guaranteed('g', '1'), pod('also', {}, { priority: systemNodeCritical })];
    expect(chooseVictims(critical, others, short({ cpu: 2_500, memory: 1, pods: 3 }))).toEqual({
      missing: short({ cpu: 500, pods: 1 }),
    });
  });
});

test('a critical pod preempts others, and critical ones of lower priority', () => {
  const systemClusterCritical = pod('cluster', {}, { priority: 2_000_000_000 });
  const source = (annotations: Record<string, string>): Pod => ({
    ...bestEffort('static'),
    metadata: { name: 'static', annotations },
  });
  const staticPod = source({ 'kubernetes.io/config.source': 'file' });
  expect(mayPreempt(critical, bestEffort('b'))).toBe(true);
  expect(mayPreempt(critical, systemClusterCritical)).toBe(true);
  expect(mayPreempt(systemClusterCritical, critical)).toBe(false);
  expect(mayPreempt(critical, staticPod)).toBe(false);
  expect(mayPreempt(staticPod, bestEffort('b'))).toBe(true);
});

describe('the result for a pod that is rejected', () => {
  const outOf = (resource: string, amount: number): PodRejection => ({
    reason: `OutOf${resource}`,
    message: 'too little',
    shortage: { resource, amount },
  });
  const ports: PodRejection = { reason: 'NodePorts', message: 'taken' };
  const others = [burstable('m', '1')];

  test('one that is not critical fails for the first reason', () => {
    expect(recoveryOf(bestEffort('b'), [outOf('cpu', 1), ports], others)).toEqual({ refusal: outOf('cpu', 1) });
  });

  test('a critical one fails for lack of resources that no other pod has', () => {
    expect(recoveryOf(critical, [outOf('cpu', 1), ports], others)).toEqual({ refusal: ports });
  });

  test('a critical one preempts others', () => {
    const recovery = recoveryOf(critical, [outOf('cpu', 1_000), outOf('pods', 1)], others);
    expect(recovery).toEqual({ victims: others, resource: 'cpu' });
  });

  test('a critical one fails if no preemption would suffice', () => {
    expect(recoveryOf(critical, [outOf('cpu', 1_500)], others)).toEqual({
      refusal: {
        reason: 'UnexpectedAdmissionError',
        message:
          'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 500), ]',
      },
    });
  });
});
