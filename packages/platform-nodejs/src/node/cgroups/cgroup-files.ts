import type { CgroupLimits } from '@coracle/kubelet';

/** A file of a cgroup, by its controller, and its content. */
export interface CgroupWrite {
  readonly controller: string;
  readonly file: string;
  readonly value: string;
}

/** The files of cgroups v1. A quota comes after its period: the kernel checks one against the other. */
export function limitsV1(limits: CgroupLimits): CgroupWrite[] {
  const { cpuShares, cpuPeriod, cpuQuota, memoryLimit, pidsLimit, hugepageLimits = {} } = limits;
  const cpu = { controller: 'cpu' };
  return [
    ...wrote(cpuShares, (value) => ({ ...cpu, file: 'cpu.shares', value: String(value) })),
    ...wrote(cpuPeriod, (value) => ({ ...cpu, file: 'cpu.cfs_period_us', value: String(value) })),
    ...wrote(cpuQuota, (value) => ({ ...cpu, file: 'cpu.cfs_quota_us', value: String(value) })),
    ...wrote(memoryLimit, (value) => ({ controller: 'memory', file: 'memory.limit_in_bytes', value: String(value) })),
    ...wrote(pidsLimit, (value) => ({ controller: 'pids', file: 'pids.max', value: orMax(value) })),
    ...Object.entries(hugepageLimits).map(([size, bytes]) => ({
      controller: 'hugetlb',
      file: `hugetlb.${size}.limit_in_bytes`,
      value: String(bytes),
    })),
  ];
}

/** The files of cgroups v2, where shares are weights of 1 to 10,000. */
export function limitsV2(limits: CgroupLimits): CgroupWrite[] {
  const { cpuShares, cpuPeriod = 100_000, cpuQuota, memoryLimit, pidsLimit, hugepageLimits = {} } = limits;
  return [
    ...wrote(cpuShares, (value) => ({ controller: 'cpu', file: 'cpu.weight', value: String(weightOf(value)) })),
    ...wrote(cpuQuota, (value) => ({ controller: 'cpu', file: 'cpu.max', value: `${orMax(value)} ${cpuPeriod}` })),
    ...wrote(memoryLimit, (value) => ({ controller: 'memory', file: 'memory.max', value: orMax(value) })),
    ...wrote(pidsLimit, (value) => ({ controller: 'pids', file: 'pids.max', value: orMax(value) })),
    ...Object.entries(hugepageLimits).map(([size, bytes]) => ({
      controller: 'hugetlb',
      file: `hugetlb.${size}.max`,
      value: String(bytes),
    })),
  ];
}

export function weightOf(shares: number): number {
  return Math.floor(1 + ((shares - 2) * 9999) / 262_142);
}

function wrote(value: number | undefined, make: (value: number) => CgroupWrite): CgroupWrite[] {
  return value === undefined ? [] : [make(value)];
}

function orMax(value: number): string {
  return value < 0 ? 'max' : String(value);
}
