import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import type {
  FilesystemRoom,
  FsStats,
  HostStats,
  HostStatsSource,
  HostUsage,
  HostUsageSource,
  Room,
} from '@coracle/kubelet';
import { annotationPrefix, quantityOf } from './behaviour.js';

/** Usage of all containers of a node. */
export interface TotalUse {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly processes: number;
  readonly cpuNanoSeconds: number;
  readonly cpuCores: number;
}

export interface SimulatedHostOptions {
  readonly clock: Clock;
  readonly capacity: Readonly<Record<string, string>>;
  /** Disk usage of its containers and images. */
  readonly used: () => TotalUse;
  /**
   * The annotations of the node, which may set available resources: `simulation.coracle.dev/memory.available: 50Mi`.
   */
  readonly annotations: () => Readonly<Record<string, string>> | undefined;
}

const inodes = 10_000_000;
const mostProcesses = 4_194_304;

/** A machine that is as large as its node says, and as full as its pods and annotations say. */
export class SimulatedHost implements HostUsageSource, HostStatsSource {
  readonly #options: SimulatedHostOptions;
  readonly #bootedAt: Millis;
  readonly #memory: number;
  readonly #disk: number;
  /** Available resources by signal, overriding the usage of pods. */
  #annotations: Readonly<Record<string, string>> = {};

  constructor(options: SimulatedHostOptions) {
    this.#options = options;
    this.#bootedAt = options.clock.now();
    this.#memory = quantityOf(options.capacity['memory']) ?? 0;
    this.#disk = quantityOf(options.capacity['ephemeral-storage']) ?? 0;
  }

  /** Sets the available resources of the machine: `{ 'memory.available': '50Mi', 'nodefs.available': '5%' }`. */
  say(signals: Readonly<Record<string, string>>): void {
    this.#annotations = signals;
  }

  async read(): Promise<HostUsage> {
    return this.#usage(this.#options.used());
  }

  #usage({ memoryBytes, diskBytes, processes }: TotalUse): HostUsage {
    const disk = (prefix: string): FilesystemRoom => ({
      bytes: this.#room(`${prefix}.available`, this.#disk, diskBytes),
      inodes: this.#room(`${prefix}.inodesFree`, inodes, 0),
    });
    const isSplit = this.#annotationOf('imagefs.available') ?? this.#annotationOf('imagefs.inodesFree');
    return {
      at: monotonicNow(this.#options.clock),
      memory: this.#room('memory.available', this.#memory, memoryBytes),
      nodeFilesystem: disk('nodefs'),
      ...(isSplit !== undefined && { imageFilesystem: disk('imagefs') }),
      processes: this.#room('pid.available', mostProcesses, processes),
    };
  }

  async readStats(): Promise<HostStats> {
    const { used, capacity } = this.#options;
    const total = used();
    const { at, memory, nodeFilesystem, imageFilesystem, processes } = this.#usage(total);
    const { cpuNanoSeconds, cpuCores } = total;
    const workingSetBytes = memory ? memory.capacity - memory.available : 0;
    const filesystem = statsOf(nodeFilesystem);
    return {
      at,
      bootedAt: this.#bootedAt,
      cpu: { usageCoreNanoSeconds: cpuNanoSeconds, usageNanoCores: Math.round(cpuCores * 1e9) },
      memory: { availableBytes: memory?.available ?? 0, usageBytes: workingSetBytes, workingSetBytes },
      nodeFilesystem: filesystem,
      imageFilesystem: imageFilesystem ? statsOf(imageFilesystem) : filesystem,
      ...(processes && {
        processes: { maximum: processes.capacity, current: processes.capacity - processes.available },
      }),
      cpuCores: quantityOf(capacity['cpu']) ?? 0,
      memoryBytes: this.#memory,
    };
  }

  async filesystemOf(): Promise<Omit<FsStats, 'time'>> {
    return statsOf(this.#usage(this.#options.used()).nodeFilesystem);
  }

  #room(signal: string, capacity: number, used: number): Room {
    const annotation = this.#annotationOf(signal);
    const available = annotation === undefined ? undefined : amountOf(annotation, capacity);
    return { capacity, available: available ?? Math.max(0, capacity - used) };
  }

  #annotationOf(signal: string): string | undefined {
    return this.#annotations[signal] ?? this.#options.annotations()?.[annotationPrefix + signal];
  }
}

function statsOf(filesystem: FilesystemRoom | undefined): Omit<FsStats, 'time'> {
  const { bytes, inodes: entries } = filesystem ?? {};
  return {
    ...(bytes && {
      availableBytes: bytes.available,
      capacityBytes: bytes.capacity,
      usedBytes: bytes.capacity - bytes.available,
    }),
    ...(entries && {
      inodesFree: entries.available,
      inodes: entries.capacity,
      inodesUsed: entries.capacity - entries.available,
    }),
  };
}

function amountOf(text: string, capacity: number): number | undefined {
  return text.endsWith('%') ? (capacity * Number(text.slice(0, -1))) / 100 : quantityOf(text);
}
