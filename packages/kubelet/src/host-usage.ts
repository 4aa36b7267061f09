import type { Millis } from '@coracle/base';

/** How much of something there is, and how much of it is left. */
export interface Room {
  readonly capacity: number;
  readonly available: number;
}

export interface FilesystemRoom {
  readonly bytes: Room;
  readonly inodes?: Room;
}

/** What is left of a machine. What is not measured is left out. */
export interface HostUsage {
  /** When it was measured, on the clock that is never set (`monotonicNow`). */
  readonly at: Millis;
  /** Bytes; what caches hold that can be dropped counts as available. */
  readonly memory?: Room;
  /** The same within what pods may use altogether. */
  readonly podsMemory?: Room;
  /** Where volumes and logs are. */
  readonly nodeFilesystem?: FilesystemRoom;
  /** Where images and writable layers are; absent when that is the node's file system. */
  readonly imageFilesystem?: FilesystemRoom;
  readonly processes?: Room;
}

/** Measures the machine: what container runtimes do not report. */
export interface HostUsageSource {
  read(): Promise<HostUsage>;
}
