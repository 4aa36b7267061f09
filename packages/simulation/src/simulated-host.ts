import type { Clock } from '@coracle/base';
import type { FilesystemRoom, HostUsage, HostUsageSource, Room } from '@coracle/kubelet';
import { annotationPrefix, quantityOf } from './behaviour.js';

/** What all containers of a node use together. */
export interface TotalUse {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly processes: number;
}

export interface SimulatedHostOptions {
  readonly clock: Clock;
  readonly capacity: Readonly<Record<string, string>>;
  /** What its containers and images take. */
  readonly used: () => TotalUse;
  /** The annotations of the node, which may say what is left: `simulation.coracle.dev/memory.available: 50Mi`. */
  readonly annotations: () => Readonly<Record<string, string>> | undefined;
}

const inodes = 10_000_000;
const mostProcesses = 4_194_304;

/** A machine that is as large as its node says, and as full as its pods and annotations say. */
export class SimulatedHost implements HostUsageSource {
  readonly #options: SimulatedHostOptions;
  readonly #memory: number;
  readonly #disk: number;
  /** What is left, by signal, whatever pods use. */
  #said: Readonly<Record<string, string>> = {};

  constructor(options: SimulatedHostOptions) {
    this.#options = options;
    this.#memory = quantityOf(options.capacity['memory']) ?? 0;
    this.#disk = quantityOf(options.capacity['ephemeral-storage']) ?? 0;
  }

  /** Says what is left of the machine: `{ 'memory.available': '50Mi', 'nodefs.available': '5%' }`. */
  say(signals: Readonly<Record<string, string>>): void {
    this.#said = signals;
  }

  async read(): Promise<HostUsage> {
    const { clock, used } = this.#options;
    const { memoryBytes, diskBytes, processes } = used();
    const disk = (prefix: string): FilesystemRoom => ({
      bytes: this.#room(`${prefix}.available`, this.#disk, diskBytes),
      inodes: this.#room(`${prefix}.inodesFree`, inodes, 0),
    });
    const isSplit = this.#saidOf('imagefs.available') ?? this.#saidOf('imagefs.inodesFree');
    return {
      at: clock.now(),
      memory: this.#room('memory.available', this.#memory, memoryBytes),
      nodeFilesystem: disk('nodefs'),
      ...(isSplit !== undefined && { imageFilesystem: disk('imagefs') }),
      processes: this.#room('pid.available', mostProcesses, processes),
    };
  }

  #room(signal: string, capacity: number, used: number): Room {
    const said = this.#saidOf(signal);
    const available = said === undefined ? undefined : amountOf(said, capacity);
    return { capacity, available: available ?? Math.max(0, capacity - used) };
  }

  #saidOf(signal: string): string | undefined {
    return this.#said[signal] ?? this.#options.annotations()?.[annotationPrefix + signal];
  }
}

function amountOf(text: string, capacity: number): number | undefined {
  return text.endsWith('%') ? (capacity * Number(text.slice(0, -1))) / 100 : quantityOf(text);
}
