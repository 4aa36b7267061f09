import type { Millis } from '@coracle/base';
import type { FsStats } from '../fs-stats.js';
import type { CpuStats, InterfaceStats, MemoryStats, SwapStats } from './summary.js';

type Untimed<T> = Omit<T, 'time'>;

/** Resource usage of a machine. Unmeasured values are absent. */
export interface HostStats {
  /** Time of the measurement. */
  readonly at: Millis;
  readonly bootedAt: Millis;
  readonly cpu?: Untimed<CpuStats>;
  readonly memory?: Untimed<MemoryStats>;
  readonly swap?: Untimed<SwapStats>;
  readonly interfaces?: readonly InterfaceStats[];
  /** The interface of the default route. */
  readonly defaultInterface?: string;
  /** The filesystem of the kubelet's volumes and logs. */
  readonly nodeFilesystem?: Untimed<FsStats>;
  readonly imageFilesystem?: Untimed<FsStats>;
  readonly processes?: { readonly maximum: number; readonly current: number };
  /** Usage of the kubelet and the runtime. */
  readonly systemContainers?: readonly {
    readonly name: string;
    readonly startedAt: Millis;
    readonly cpu?: Untimed<CpuStats>;
    readonly memory?: Untimed<MemoryStats>;
  }[];
  readonly cpuCores?: number;
  readonly memoryBytes?: number;
}

/** Measures the machine of a node for its statistics. */
export interface HostStatsSource {
  readStats(): Promise<HostStats>;
  /** The filesystem of a directory; `undefined` if it does not exist. */
  filesystemOf(directory: string): Promise<Untimed<FsStats> | undefined>;
}
