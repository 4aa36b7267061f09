/** Limits of a cgroup, in the kernel's units. What is absent is left as it is. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  /** Microseconds in each period; -1 for no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  /** Bytes; -1 for no limit. */
  readonly memoryLimit?: number;
  /** Processes; -1 for no limit. */
  readonly pidsLimit?: number;
  /** By size as the kernel names it: `2MB`. */
  readonly hugepageLimits?: Readonly<Record<string, number>>;
}

/** The cgroups of the machine. Paths begin with a slash, below the root of the hierarchy. */
export interface CgroupHost {
  /** 1: one hierarchy for each controller; 2: one for all. */
  readonly version: 1 | 2;
  /** Makes it if it is not there, and sets its limits. */
  apply(path: string, limits: CgroupLimits): Promise<void>;
  /** Kills what still runs in it, and removes it with all below it, in every hierarchy. */
  remove(path: string): Promise<void>;
  /** The names of the cgroups directly below it. */
  children(path: string): Promise<readonly string[]>;
}
