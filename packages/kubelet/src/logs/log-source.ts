import type { ContainerStatus } from '@coracle/cri';

/** The log of one container instance, in the format that CRI runtimes write. */
export interface LogFile extends AsyncDisposable {
  size(): Promise<number>;
  /** Up to so many bytes from an offset; none at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Resolves when there may be more to read, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /** The file that has taken its place, if it was rotated. */
  successor(): Promise<LogFile | undefined>;
}

/** Where the logs of containers are. */
export interface LogSource {
  /** `undefined` if there is no log. */
  open(container: ContainerStatus): Promise<LogFile | undefined>;
}
