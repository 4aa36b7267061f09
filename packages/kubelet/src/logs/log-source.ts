import type { ContainerStatus } from '@coracle/cri';

/** The log of one container instance, in the format of CRI. */
export interface LogFile extends AsyncDisposable {
  size(): Promise<number>;
  /** At most this many bytes from an offset; none at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Resolves when there may be more to read, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /** The new file, if the log was rotated. */
  successor(): Promise<LogFile | undefined>;
}

/** Opens logs of containers. */
export interface LogSource {
  /** `undefined` if there is no log. */
  open(container: ContainerStatus): Promise<LogFile | undefined>;
}
