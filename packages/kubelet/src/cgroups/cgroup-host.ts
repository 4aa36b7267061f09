/** Limits of a cgroup, in the kernel's units. Absent limits are not changed. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  /** Microseconds per period; -1 for no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  /** Bytes; -1 for no limit. */
  readonly memoryLimit?: number;
  /** Number of processes; -1 for no limit. */
  readonly pidsLimit?: number;
  /** By size as the kernel names it: `2MB`. */
  readonly hugepageLimits?: Readonly<Record<string, number>>;
}

/** The cgroups of the machine. Paths begin with a slash, below the root of the hierarchy. */
export interface CgroupHost {
  /** Version of cgroups: 1 has one hierarchy per controller, 2 has one for all. */
  readonly version: 1 | 2;
  /** Creates it if necessary, and sets its limits. */
  apply(path: string, limits: CgroupLimits): Promise<void>;
  /** Kills its processes, and removes it with its descendants, in every hierarchy. */
  remove(path: string): Promise<void>;
  /** The names of the cgroups directly below it. */
  children(path: string): Promise<readonly string[]>;
}
