import type { Millis } from '@coracle/base';
import type { FsStats } from '../fs-stats.js';
import type { CpuStats, InterfaceStats, MemoryStats, SwapStats } from './summary.js';

type Untimed<T> = Omit<T, 'time'>;

/** What a machine uses as a whole. What is not measured is left out. */
export interface HostStats {
  /** When it was measured. */
  readonly at: Millis;
  readonly bootedAt: Millis;
  readonly cpu?: Untimed<CpuStats>;
  readonly memory?: Untimed<MemoryStats>;
  readonly swap?: Untimed<SwapStats>;
  readonly interfaces?: readonly InterfaceStats[];
  /** The one that the default route leads through. */
  readonly defaultInterface?: string;
  /** Where the kubelet keeps volumes and logs. */
  readonly nodeFilesystem?: Untimed<FsStats>;
  readonly imageFilesystem?: Untimed<FsStats>;
  readonly processes?: { readonly maximum: number; readonly current: number };
  /** Of the kubelet and the runtime. */
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
  /** The file system that a directory is on; `undefined` if there is no such directory. */
  filesystemOf(directory: string): Promise<Untimed<FsStats> | undefined>;
}
