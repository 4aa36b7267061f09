import { describe, expect, test } from 'vitest';
import { limitsV1, limitsV2, weightOf } from './cgroup-files.js';
import { parseHierarchies } from './cgroup-hierarchies.js';

const limits = { cpuShares: 1024, cpuPeriod: 100_000, cpuQuota: -1, memoryLimit: 5, pidsLimit: -1 };
const texts = (writes: readonly { readonly file: string; readonly value: string }[]) =>
  writes.map(({ file, value }) => `${file}=${value}`);

test('files of version 1', () => {
  expect(texts(limitsV1(limits))).toEqual([
    'cpu.shares=1024',
    'cpu.cfs_period_us=100000',
    'cpu.cfs_quota_us=-1',
    'memory.limit_in_bytes=5',
    'pids.max=max',
  ]);
});

test('files of version 2', () => {
  expect(texts(limitsV2({ ...limits, hugepageLimits: { '2MB': 0 } }))).toEqual([
    'cpu.weight=39',
    'cpu.max=max 100000',
    'memory.max=5',
    'pids.max=max',
    'hugetlb.2MB.max=0',
  ]);
  expect([weightOf(2), weightOf(262_144)]).toEqual([1, 10_000]);
});

describe('where cgroups are mounted', () => {
  const v1 = '30 24 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory';
  const cpu = '31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:3 - cgroup cgroup rw,cpu,cpuacct';
  const v2 = '32 24 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw';

  test('controllers of version 1, with a tree of version 2 that has none', () => {
    const found = parseHierarchies([v1, cpu, v2], () => []);
    expect(found.version).toBe(1);
    expect([found.mountOf('memory'), found.mountOf('cpu'), found.mountOf('hugetlb')]).toEqual([
      '/sys/fs/cgroup/memory',
      '/sys/fs/cgroup/cpu,cpuacct',
      undefined,
    ]);
    expect(found.mounts).toHaveLength(3);
  });

  test('all controllers in the tree of version 2', () => {
    const found = parseHierarchies([v2], () => ['cpu', 'memory', 'pids']);
    expect([found.version, found.mountOf('cpu'), found.mountOf('hugetlb')]).toEqual([
      2,
      '/sys/fs/cgroup/unified',
      undefined,
    ]);
  });
});
