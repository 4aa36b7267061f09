import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { allPodsLimits, podCgroup, podCgroupLimits, qosCgroupLimits } from './plan-cgroups.js';

const settings = { cpuCFSQuota: true, cpuCFSQuotaPeriod: 100, podPidsLimit: -1 };
const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: 'c',
  resources: { requests, limits },
});
const guaranteed = makePod({ containers: [container({ cpu: '1', memory: '1Mi' }, { cpu: '1', memory: '1Mi' })] });
const burstable = makePod({ containers: [container({ cpu: '500m' }), container({ cpu: '250m' }, { memory: '1Mi' })] });
const bestEffort = makePod({ containers: [{ name: 'c' }] });

describe('the cgroup of a pod', () => {
  test.each([
    { pod: guaranteed, root: '/', path: '/kubepods/poduid-1' },
    { pod: burstable, root: '/', path: '/kubepods/burstable/poduid-1' },
    { pod: bestEffort, root: '/test', path: '/test/kubepods/besteffort/poduid-1' },
  ])('$path', ({ pod, root, path }) => {
    expect(podCgroup(root, pod)).toBe(path);
  });

  test('has the sum of the limits of its containers', () => {
    expect(podCgroupLimits(guaranteed, settings)).toMatchObject({
      cpuShares: 1024,
      cpuQuota: 100_000,
      memoryLimit: 2 ** 20,
      pidsLimit: -1,
    });
  });

  test('has no limit where one of them has none', () => {
    expect(podCgroupLimits(burstable, settings)).toMatchObject({ cpuShares: 768, cpuQuota: -1, memoryLimit: -1 });
    expect(podCgroupLimits(bestEffort, settings)).toMatchObject({ cpuShares: 2 });
  });
});

test('the weight of a class is the sum of its pods’ requests', () => {
  expect(qosCgroupLimits('Burstable', [guaranteed, burstable, burstable])).toEqual({ cpuShares: 1536 });
  expect(qosCgroupLimits('BestEffort', [bestEffort])).toEqual({ cpuShares: 2 });
});

test('all pods together are limited to the allocatable resources', () => {
  const capacity = { cpu: '4', memory: '1Gi' };
  expect(allPodsLimits(capacity, [{ cpu: '500m' }, { memory: '512Mi' }])).toEqual({
    cpuShares: 3584,
    memoryLimit: 2 ** 29,
  });
});
