import type { Container } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { containerResources, oomScoreAdjust, quotaOf, sharesOf } from './linux-resources.js';

const input = { memoryCapacity: 4e9, cpuCfsQuota: true, cpuCfsQuotaPeriod: 100_000 };

function resourcesOf(resources: NonNullable<Container['resources']>) {
  const container = { name: 'c', resources };
  return containerResources(container, { ...input, pod: makePod({ containers: [container] }) });
}

describe('limits of a container', () => {
  test('shares of its request, quota of its limit', () => {
    const resources = resourcesOf({ requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '64Mi' } });
    expect(resources).toMatchObject({
      cpuShares: 256,
      cpuPeriod: 100_000,
      cpuQuota: 50_000,
      memoryLimitInBytes: 64 * 2 ** 20,
    });
  });

  test('a limit alone is the request too', () => {
    expect(resourcesOf({ limits: { cpu: '2' } }).cpuShares).toBe(2048);
  });

  test('without anything, the least of the CPU and no limit', () => {
    expect(resourcesOf({})).toEqual({ cpuShares: 2, oomScoreAdj: 1000 });
  });

  test('huge pages as the kernel names them', () => {
    const { hugepageLimits } = resourcesOf({ limits: { 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi' } });
    expect(hugepageLimits).toEqual([
      { pageSize: '2MB', limit: 4 * 2 ** 20 },
      { pageSize: '1GB', limit: 2 ** 30 },
    ]);
  });

  test('bounds of the kernel', () => {
    expect([sharesOf(0), sharesOf(1), sharesOf(1e9)]).toEqual([2, 2, 262_144]);
    expect([quotaOf(0, 100_000), quotaOf(1, 100_000), quotaOf(1500, 100_000)]).toEqual([0, 1000, 150_000]);
  });
});

describe('OOM score adjustments', () => {
  const scoreOf = (resources: NonNullable<Container['resources']>, priority?: number) => {
    const container = { name: 'c', resources };
    const pod = makePod({ containers: [container], ...(priority !== undefined && { priority }) });
    return oomScoreAdjust(container, { ...input, pod });
  };
  test.each([
    { name: 'best effort', resources: {}, score: 1000 },
    { name: 'a quarter of the node', resources: { requests: { memory: '1000000000' } }, score: 750 },
    { name: 'next to nothing', resources: { requests: { memory: '1' } }, score: 999 },
    { name: 'nearly all', resources: { requests: { memory: '4000000000' } }, score: 3 },
    {
      name: 'guaranteed',
      resources: { limits: { cpu: '1', memory: '1Mi' }, requests: { cpu: '1', memory: '1Mi' } },
      score: -997,
    },
  ])('$name', ({ resources, score }) => {
    expect(scoreOf(resources)).toBe(score);
  });

  test('critical pods are never killed first', () => {
    expect(scoreOf({}, 2_000_001_000)).toBe(-997);
  });
});
