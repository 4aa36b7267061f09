import type { Millis } from '@coracle/base';

/** Capacity and available amount of a resource. */
export interface Room {
  readonly capacity: number;
  readonly available: number;
}

export interface FilesystemRoom {
  readonly bytes: Room;
  readonly inodes?: Room;
}

/** Available resources of a machine. Unmeasured ones are absent. */
export interface HostUsage {
  /** When it was measured, on the clock that is never set (`monotonicNow`). */
  readonly at: Millis;
  /** Bytes; reclaimable caches count as available. */
  readonly memory?: Room;
  /** The same within the allocatable memory of pods. */
  readonly podsMemory?: Room;
  /** The filesystem of volumes and logs. */
  readonly nodeFilesystem?: FilesystemRoom;
  /** The filesystem of images and writable layers; absent if it is the node's. */
  readonly imageFilesystem?: FilesystemRoom;
  readonly processes?: Room;
}

/** Measures the machine: values that container runtimes do not report. */
export interface HostUsageSource {
  read(): Promise<HostUsage>;
}
